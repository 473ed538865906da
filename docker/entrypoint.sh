#!/bin/sh
set -eu
case "${1:-api}" in
  api) exec node /app/dist/api/main.js ;;
  worker) exec node /app/dist/activities/worker.js ;;
  migrate) exec node /app/dist/cli/main.js migrate ;;
  *) echo "visionops: unknown role $1: use api, worker or migrate" >&2; exit 2 ;;
esac
