#!/bin/sh
# ci.sh -- the steps of a job in CI that records a command and compares it with the main branch. ci/github/action.yml and
# ci/gitlab/mprof.yml run them, and doc/ci.md explains their settings.
#
#     ci.sh install   installs mprof with apt-get, unless it is there: $MPROF_CI_PACKAGES, names or ./FILES
#     ci.sh record    records $MPROF_CI_COMMAND
#     ci.sh compare   compares the recording with those of the main branch, with the options $MPROF_CI_CHECK of mprof
#                     check; writes a summary in Markdown; ends with the status of mprof check
#     ci.sh comment   writes the summary as a comment to the merge request or pull request, replacing its last one
#     ci.sh keep      adds the recording to those of the main branch, of which the newest $MPROF_CI_RUNS (5) remain
#
# The folder .mprof has new.data, summary.md, and baseline/ with the recordings of the main branch.
set -eu
folder=.mprof

refuse()
{
    echo "mprof: ci.sh: $*" >&2
    exit 2
}

install()
{
    ! command -v mprof >/dev/null 2>&1 || return 0
    [ -n "${MPROF_CI_PACKAGES-}" ] || refuse "mprof is not installed, and no packages are named"
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root=sudo
    $as_root apt-get -q update
    # shellcheck disable=SC2086
    $as_root apt-get -q install -y --no-install-recommends $MPROF_CI_PACKAGES
}

record()
{
    [ -n "${MPROF_CI_COMMAND-}" ] || refuse "no command is named"
    mkdir -p $folder/baseline
    rm -f $folder/new.data $folder/summary.md
    eval "mprof run -q -o $folder/new.data -- $MPROF_CI_COMMAND"
}

# Prints a table of the figures: the largest value of the main branch, the new one, and the change in percent.
figures()
{
    echo "| figure | main branch | this run | change |"
    echo "| --- | ---: | ---: | ---: |"
    for file in $folder/baseline/*.data $folder/new.data; do
        [ ! -f "$file" ] || { echo file && mprof totals "$file"; }
    done | awk '
        function grouped(n,  text) {
            text = sprintf("%.0f", n)
            while (match(text, /[0-9][0-9][0-9][0-9](,|$)/))
                text = substr(text, 1, RSTART) "," substr(text, RSTART + 1)
            return text
        }
        BEGIN {
            n = split("bytes allocs kept peak temporary", keys)
            split("bytes allocated,blocks allocated,bytes never freed,bytes at the peak,temporary blocks", names, ",")
        }
        $1 == "file" {
            for (key in now) if (!(key in before) || now[key] > before[key]) before[key] = now[key]
            for (key in now) delete now[key]
            next
        }
        { now[$1] = $2 }
        END {
            for (i = 1; i <= n; i++) {
                key = keys[i]
                if (!(key in now)) continue
                change = !(key in before) ? "" : before[key] > 0 ? sprintf("%+.1f %%", 100 * (now[key] / before[key] - 1)) \
                    : now[key] > 0 ? "new" : "+0.0 %"
                print "| " names[i] " | " (key in before ? grouped(before[key]) : "") " | " grouped(now[key]) " | " change " |"
            }
        }'
}

# block TITLE: reads text and prints it as a part of the summary that is folded, at most 200 lines.
block()
{
    printf '\n<details><summary>%s</summary>\n\n' "$1"
    sed -n '1,200s/^/    /p'
    printf '\n</details>\n'
}

compare()
{
    [ -f $folder/new.data ] || refuse "there is no recording $folder/new.data"
    set --
    for file in $folder/baseline/*.data; do
        [ ! -f "$file" ] || set -- "$@" "--baseline=$file"
    done
    [ -z "${GITHUB_ACTIONS-}" ] || github=--github
    [ -z "${GITLAB_CI-}" ] || gitlab=--gitlab=$folder/codequality.json
    options=${MPROF_CI_CHECK-}
    [ $# -gt 0 ] || options=$(printf '%s\n' "$options" | sed 's/--tolerance=[^ ]*//g')
    status=0
    verdict="Nothing was checked: there is no recording of the main branch yet, and there are no limits."
    : >$folder/check.txt
    if [ $# -gt 0 ] || [ -n "$(echo $options)" ]; then
        # shellcheck disable=SC2086
        mprof check "$@" $options ${github-} ${gitlab-} $folder/new.data >$folder/check.txt || status=$?
        case $status in
        0) verdict="All figures are within their limits." ;;
        1) verdict="**Limits that are exceeded: $(grep -c '^OVER' $folder/check.txt)**" ;;
        *) return $status ;;
        esac
        cat $folder/check.txt
    fi
    {
        echo "<!-- mprof ${MPROF_CI_NAME-} -->"
        printf '### Memory of `%s`\n\n%s\n\n' "$MPROF_CI_COMMAND" "$verdict"
        figures
        [ ! -s $folder/check.txt ] || grep -v '^::' $folder/check.txt | block "mprof check"
        if [ $# -gt 0 ]; then
            before=
            for file in $folder/baseline/*.data; do before="$before --before=$file"; done
            # shellcheck disable=SC2086
            mprof diff --terse --no-pager $before --after=$folder/new.data | block "mprof diff"
        fi
    } >$folder/summary.md
    [ -z "${GITHUB_STEP_SUMMARY-}" ] || cat $folder/summary.md >>"$GITHUB_STEP_SUMMARY"
    return $status
}

# github_comment NUMBER: comments a pull request, with gh, whose token is $GH_TOKEN.
github_comment()
{
    comments=repos/$GITHUB_REPOSITORY/issues/$1/comments
    old=$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"<!-- mprof ${MPROF_CI_NAME-} -->\")) | .id" | tail -n 1)
    if [ -n "$old" ]; then
        gh api -X PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$old" -F body=@$folder/summary.md
    else
        gh api -X POST "$comments" -F body=@$folder/summary.md
    fi >/dev/null
}

# gitlab_comment NUMBER: comments a merge request, with curl and the token $MPROF_CI_TOKEN.
gitlab_comment()
{
    notes=$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$1/notes
    old=$(curl -fsS -H "PRIVATE-TOKEN: $MPROF_CI_TOKEN" "$notes?per_page=100" |
        jq -r ".[] | select(.body | startswith(\"<!-- mprof ${MPROF_CI_NAME-} -->\")) | .id" | head -n 1)
    if [ -n "$old" ]; then
        curl -fsS -X PUT -H "PRIVATE-TOKEN: $MPROF_CI_TOKEN" --data-urlencode body@$folder/summary.md "$notes/$old"
    else
        curl -fsS -X POST -H "PRIVATE-TOKEN: $MPROF_CI_TOKEN" --data-urlencode body@$folder/summary.md "$notes"
    fi >/dev/null
}

comment()
{
    if [ ! -f $folder/summary.md ]; then
        echo "ci.sh: no summary, no comment"
    elif [ -n "${MPROF_CI_PULL-}" ] && [ -n "${GH_TOKEN-}" ]; then
        github_comment "$MPROF_CI_PULL"
    elif [ -n "${CI_MERGE_REQUEST_IID-}" ] && [ -n "${MPROF_CI_TOKEN-}" ]; then
        gitlab_comment "$CI_MERGE_REQUEST_IID"
    else
        echo "ci.sh: no request to comment, or no token; the summary is $folder/summary.md"
    fi
}

keep()
{
    if [ ! -f $folder/summary.md ]; then
        echo "ci.sh: nothing was compared, so nothing is kept"
        return
    fi
    mkdir -p $folder/baseline
    last=$(find $folder/baseline -name '[0-9]*.data' | sed 's|.*/0*||; s/\.data$//' | sort -n | tail -n 1)
    cp $folder/new.data "$folder/baseline/$(printf %06d $((${last:-0} + 1))).data"
    find $folder/baseline -name '[0-9]*.data' | LC_ALL=C sort -r | tail -n +$((${MPROF_CI_RUNS:-5} + 1)) | xargs -r rm
}

case ${1-} in
install | record | compare | comment | keep) "$1" ;;
*) refuse "usage: ci.sh install | record | compare | comment | keep" ;;
esac
# SPDX-License-Identifier: MIT
