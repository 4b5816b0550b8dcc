# End-to-end tests are shell scripts; tap.sh gives them TAP.
EXTRA_DIST += tests/e2e/tap.sh
dist_check_SCRIPTS += tests/e2e/cli.sh
TESTS += tests/e2e/cli.sh
