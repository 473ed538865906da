#!/bin/sh
set -eu
# The roles are processes of their own; every other word is one of the command line's.
case "${1:-api}" in
  api) exec node /app/dist/api/main.js ;;
  worker) exec node /app/dist/activities/worker.js ;;
  *) exec node /app/dist/cli/main.js --data-dir "${SERVICE_DATA_DIR:-/data}" "$@" ;;
esac
