#!/bin/sh
# The jobs in ci/ do what doc/ci.md says. The test executes the shell code of the files unchanged. In place of the cache
# of the CI service, the test uses a folder; in place of the service's API, programs that write their requests to files.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "jobs in CI" gcc
python=${PYTHON:-python3}
"$python" -c 'import yaml' 2>/dev/null || skip_all "jobs in CI" "there is no python3-yaml"

cat >program.c <<'END'
#include <stdlib.h>
static __attribute__((noinline)) void *make_widget(void) { return malloc(100); }
int
main(int argc, char **argv)
{
    void *volatile block;

    for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--) {
        block = make_widget();
        free(block);
    }
    return argc > 2;
}
END
gcc -g -O1 -fno-builtin -o program program.c
mkdir -p bin usr/bin usr/share/mprof apt
ln -s "$mprof" usr/bin/mprof
cp "$src/ci/ci.sh" usr/share/mprof/ci.sh
usual=$PATH

# api NAME: makes a program that writes its arguments, and the body that it sends, to the file calls, and prints answer.
api()
{
    cat >"bin/$1" <<'END'
#!/bin/sh
echo "${0##*/} $*" >>calls
cp .mprof/summary.md sent
case "$*" in
*PATCH* | *PUT* | *POST*) ;;
*) cat answer ;;
esac
END
    chmod +x "bin/$1"
}

# step NAME: runs a step as a service does.
step()
{
    run env PATH="$tmp/usr/bin:$tmp/bin:$usual" "$@"
}

# ------------------------------------------------------------------------------------------- GitHub
api gh
GITHUB_ACTION_PATH=$src/ci/github GITHUB_ACTIONS=true GITHUB_REPOSITORY=o/r GITHUB_STEP_SUMMARY=$tmp/summary.github
export GITHUB_ACTION_PATH GITHUB_ACTIONS GITHUB_REPOSITORY GITHUB_STEP_SUMMARY

# action COMMAND: extracts the steps of the action with this command.
action()
{
    "$python" "$src/tests/e2e/ci_steps.py" "$src/ci/github/action.yml" "inputs.command=$1" inputs.runs=2 \
        github.token=secret github.event.pull_request.number=7 || exit 99
    : >summary.github
    : >calls
}

# on_main COMMAND: runs all steps as on the default branch.
on_main()
{
    action "$1"
    step sh record.sh && step sh compare.sh
    step sh keep.sh
}

on_main './program 100 2>/dev/null'
has "the first run: nothing to compare with" summary.github '^Nothing was checked: there is no recording of the main branch yet'
has "... a table of figures" summary.github '^\| blocks allocated \|  \| 100 \|  \|$'
is "... is kept for other branches" "$(ls .mprof/baseline)" "000001.data"
on_main './program 104'
on_main './program 101'
is "of three runs, two are kept" "$(ls .mprof/baseline | tr '\n' ' ')" "000002.data 000003.data "

action './program 105'
step sh record.sh
is "a pull request: recorded" "$status" 0
step sh compare.sh
is "... within the tolerance of the larger run of the main branch" "$status" 0
has "... the summary says it" summary.github '^All figures are within their limits\.$'
has "... with the change" summary.github '^\| blocks allocated \| 104 \| 105 \| \+1\.0 % \|$'
echo >answer
step sh comment.sh
is "... and is a new comment" "$(tail -n 1 calls)" "gh api -X POST repos/o/r/issues/7/comments -F body=@.mprof/summary.md"
has "... with the same text" sent '^All figures are within'

action './program 2000'
step sh record.sh
step sh compare.sh
is "a pull request that allocates more: status 1" "$status" 1
has "... is marked at its line" "$tmp/out" '^::error file=.*program\.c,line=2,'
has "... the summary says it" summary.github '^\*\*Limits that are exceeded: 3\*\*$'
has "... where" summary.github '^ +\+[0-9,]+ .*main > make_widget$'
has "... with mprof diff" summary.github 'The sum of bytes allocated grew by '
hasnt "... without annotations" summary.github '::error'
echo 99 >answer
step sh comment.sh
is "... and replaces the comment" "$(tail -n 1 calls)" \
    "gh api -X PATCH repos/o/r/issues/comments/99 -F body=@.mprof/summary.md"

action './program 100 fails'
step sh record.sh
is "a command that fails fails the step" "$status" 1
step sh keep.sh
is "... and is not kept" "$status $(ls .mprof/baseline | tr '\n' ' ')" "0 000002.data 000003.data "
step sh compare.sh
action ''
step sh record.sh
is "no command: status 2" "$status $(cat "$tmp/err")" "2 mprof: ci.sh: no command is named"

# ------------------------------------------------------------------------------------------- installing
printf '#!/bin/sh\necho "$*" >>apt/calls\n' >bin/apt-get
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
chmod +x bin/apt-get bin/sudo
step sh install.sh
is "mprof is there: nothing is installed" "$status $(ls apt)" "0 "
"$python" "$src/tests/e2e/ci_steps.py" "$src/ci/github/action.yml" inputs.command=x "inputs.packages=./mprof.deb ./lib.deb"
mkdir none
for command in sh id apt-get sudo; do
    ln -s "$(PATH=$tmp/bin:$usual command -v $command)" none/$command
done
run env PATH="$tmp/none" sh install.sh
is "mprof is not there: its packages are installed" "$status $(tail -n 1 apt/calls)" \
    "0 -q install -y --no-install-recommends ./mprof.deb ./lib.deb"

# ------------------------------------------------------------------------------------------- GitLab
unset GITHUB_ACTION_PATH GITHUB_ACTIONS GITHUB_REPOSITORY GITHUB_STEP_SUMMARY
rm -rf .mprof
api curl
printf '#!/bin/sh\ncat\n' >bin/jq
chmod +x bin/jq
"$python" "$src/tests/e2e/ci_steps.py" "$src/ci/gitlab/mprof.yml" || exit 99
CI_JOB_NAME=memory GITLAB_CI=true CI_DEFAULT_BRANCH=main CI_COMMIT_BRANCH=main
export CI_JOB_NAME GITLAB_CI CI_DEFAULT_BRANCH CI_COMMIT_BRANCH
MPROF_CI_COMMAND='./program 100'
export MPROF_CI_COMMAND
rm apt/calls
step sh before_script.sh
is "GitLab: mprof is there" "$status $(ls apt)" "0 "
step sh script.sh
is "... the default branch: recorded" "$status" 0
step sh after_script.sh
is "... and kept, without a comment" "$(ls .mprof/baseline) $(cat "$tmp/out")" \
    "000001.data ci.sh: no request to comment, or no token; the summary is .mprof/summary.md"
unset CI_COMMIT_BRANCH
CI_MERGE_REQUEST_IID=8 CI_API_V4_URL=https://gitlab.invalid/api/v4 CI_PROJECT_ID=3 MPROF_CI_TOKEN=secret
export CI_MERGE_REQUEST_IID CI_API_V4_URL CI_PROJECT_ID MPROF_CI_TOKEN
MPROF_CI_COMMAND='./program 2000'
step sh script.sh
is "... a merge request that allocates more: status 1" "$status" 1
has "... with a report of code quality" .mprof/codequality.json 'program\.c'
: >calls
: >answer
step sh after_script.sh
is "... is commented, and not kept" "$(tail -n 1 calls | sed 's/.*PRIVATE/PRIVATE/') $(ls .mprof/baseline)" \
    "PRIVATE-TOKEN: secret --data-urlencode body@.mprof/summary.md https://gitlab.invalid/api/v4/projects/3/merge_requests/8/notes 000001.data"
rm usr/bin/mprof
PATH=$tmp/bin:$usual
if command -v mprof >/dev/null 2>&1; then
    skip "GitLab installs mprof" "it is installed"
else
    run sh before_script.sh
    is "mprof is not there: it is installed" "$status $(tail -n 1 apt/calls)" "0 -q install -y --no-install-recommends mprof curl jq"
fi
plan
# SPDX-License-Identifier: MIT
