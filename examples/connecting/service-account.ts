// A service account outside of the cluster: issue a short-lived token for it, and connect with that token.

import { SelfSubjectReview } from "kubestream/kinds/authentication/v1";
import { ServiceAccount } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";
import { requestToken } from "kubestream/operations";

const admin = await connect();
const accounts = admin.resource(ServiceAccount).namespace("default");
await accounts.create({ metadata: { name: "backup" } });
const { token, expirationTimestamp } = await requestToken(accounts, "backup", { expirationSeconds: 600 });
console.log("expires in minutes:", Math.round((Date.parse(expirationTimestamp) - Date.now()) / 60_000));

// In a pod, `connect()` reads the mounted token, and again when it is renewed. Here the program passes it.
const backup = await connect({ server: admin.server, token });
const { status } = await backup.resource(SelfSubjectReview).create({});
console.log(status?.userInfo?.username);
await backup.close();
await accounts.delete("backup");
await admin.close();
