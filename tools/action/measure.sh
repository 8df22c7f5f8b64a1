#!/usr/bin/env bash
# The action's one step: measures once, renders the job summary from the report, compares with a base report. Inputs come as environment variables,
# never spliced into the script. Exit status: the worst of its commands.
set -uo pipefail

read -r -a toolgate <<< "$TOOLGATE"
read -r -a gates <<< "$(tr '\n' ' ' <<< "$GATES")"
# Options may hold quoted words; xargs splits them as a shell would, and runs nothing.
if ! words="$(xargs -r -n1 printf '%s\n' <<< "${OPTIONS:-}")"; then
  echo "toolgate-bench: the input options cannot be split into words: a quote is left open" >&2
  exit 2
fi
options=()
[ -n "$words" ] && while IFS= read -r word; do options+=("$word"); done <<< "$words"

if [ -n "${BASE_REPORT:-}" ] && [ "$BASE_REPORT" -ef "$REPORT" ]; then
  echo "toolgate-bench: the inputs base-report and report are the same file: $REPORT" >&2
  exit 2
fi
# What an earlier step left there must not pass for what was measured now.
rm -f -- "$REPORT"

status=0
# Bash before 4.4 takes an empty list for an unset variable.
"${toolgate[@]}" ${gates[@]+"${gates[@]}"} ${options[@]+"${options[@]}"} --format json --out "$REPORT" || status=$?
if [ ! -s "$REPORT" ]; then
  echo "toolgate-bench wrote no report" >&2
  exit "$((status == 0 ? 2 : status))"
fi
echo "report=$REPORT" >> "$GITHUB_OUTPUT"
rendered=0
"${toolgate[@]}" report "$REPORT" --format markdown >> "$GITHUB_STEP_SUMMARY" || rendered=$?
[ "$rendered" -gt "$status" ] && status="$rendered"

if [ -n "${BASE_REPORT:-}" ]; then
  compared=0
  "${toolgate[@]}" compare "$BASE_REPORT" "$REPORT" --format markdown >> "$GITHUB_STEP_SUMMARY" || compared=$?
  [ "$compared" -gt "$status" ] && status="$compared"
fi
exit "$status"
