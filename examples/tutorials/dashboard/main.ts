import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";
import { createDashboard } from "./dashboard.js";

const client = await connect();
const dashboard = createDashboard(client.resource(Pod));
dashboard.server.listen(3000, () => console.log("http://localhost:3000"));
for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => void dashboard.close().then(() => client.close()));
