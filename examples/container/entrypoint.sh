#!/bin/sh
# Starts the server from environment variables, because services of CI systems can't pass arguments everywhere.
#   TOKEN       bearer token of the administrator; without it ANONYMOUS=true is required
#   ANONYMOUS   true: allow requests without a token. Keep the port inside the CI network then
#   HOST_NAMES  names that clients use for this container, separated by spaces
#   PORT        port to listen on
#   LOAD        file or folder of manifests to load at the start
# Arguments are passed on, for example: --authorization-mode RBAC
set -euf
case ${TOKEN-} in
  *[!A-Za-z0-9._~+/=-]*) echo "TOKEN: use letters, digits and ._~+/=- only" >&2; exit 2 ;;
esac
if [ -n "${TOKEN-}" ]; then
  tokens=$(mktemp)
  printf '%s,admin,admin,system:masters\n' "$TOKEN" > "$tokens"
  unset TOKEN
  set -- --token-auth-file "$tokens" "$@"
elif [ "${ANONYMOUS-}" != true ]; then
  echo "set TOKEN to the administrator's token, or ANONYMOUS=true" >&2
  exit 2
fi
if [ "${ANONYMOUS-}" = true ]; then set -- --anonymous-auth "$@"; fi
if [ -n "${LOAD-}" ]; then set -- --load "$LOAD" "$@"; fi
for name in ${HOST_NAMES-}; do set -- "$@" --external-hostname "$name"; done
exec kubestream apiserver --bind-address 0.0.0.0 --port "$PORT" "$@"
