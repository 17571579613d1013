#!/usr/bin/env bash
# Makes the certificates of this folder, with keys that are thrown away where no test needs them. Wants openssl 3.
# They hold from 2020 to 2120, so that no clock of a machine ends them.
set -euo pipefail
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
touch "$scratch/index"
cat > "$scratch/config" <<END
[own]
database = $scratch/index
new_certs_dir = $scratch
rand_serial = yes
default_md = sha256
unique_subject = no
policy = any
[any]
organizationName = optional
commonName = supplied
END

# issue NAME SUBJECT EXTENSIONS END KEY [CA]: signed by CA, or by itself.
issue() {
  local signer=(-selfsign -keyfile "$5")
  [ $# -eq 6 ] && signer=(-cert "$6.crt" -keyfile "$scratch/$6.key")
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$5" 2> "$scratch/log"
  openssl req -new -key "$5" -subj "$2" -out "$scratch/request"
  printf '%b\n' "$3" > "$scratch/extensions"
  openssl ca -batch -notext -preserveDN -config "$scratch/config" -name own -in "$scratch/request" -out "$1.crt" -extfile "$scratch/extensions" -startdate 20200101000000Z -enddate "$4" "${signer[@]}" 2> "$scratch/log" || { cat "$scratch/log"; exit 1; }
}

late=21200101000000Z early=20200102000000Z
authority='basicConstraints=critical,CA:TRUE'
server='extendedKeyUsage=serverAuth\nsubjectAltName='
client='extendedKeyUsage=clientAuth'
issue ca /CN=ca "$authority" $late "$scratch/ca.key"
issue other-ca /CN=other-ca "$authority" $late "$scratch/other-ca.key"
issue server /CN=server "${server}IP:127.0.0.1,DNS:localhost,DNS:cluster.test" $late server.key ca
issue elsewhere /CN=elsewhere "${server}DNS:elsewhere.test" $late elsewhere.key ca
issue expired /CN=expired "${server}IP:127.0.0.1" $early expired.key ca
issue client /O=dev/CN=jane "$client" $late client.key ca
issue client2 /O=dev/CN=joan "$client" $late client2.key ca
issue client-expired /CN=old/O=dev "$client" $early client-expired.key ca
