import { createInformer } from "../../src/cache/informer/create-informer.js";
import type { Client } from "../../src/client/client.js";
import { withLeadership } from "../../src/controller/leader-election/with-leadership.js";
import { createWorkQueue } from "../../src/controller/queue/work-queue.js";
import { createController } from "../../src/controller/reconcile/create-controller.js";
import { enqueueForOwner, enqueueMapped } from "../../src/controller/reconcile/enqueue.js";
import { kindSource } from "../../src/controller/reconcile/kind-source.js";
import { generationChanged } from "../../src/controller/reconcile/predicates.js";
import { Deployment } from "../../src/kinds/apps/v1.js";
import { Lease } from "../../src/kinds/coordination/v1.js";
import { Node, Pod, Secret } from "../../src/kinds/core/v1.js";
import type { DeepReadonly } from "../../src/meta/object.js";
import type { PartialObjectMetadata } from "../../src/meta/table.js";
import type { Equal, Expect } from "./assert.js";

declare const client: Client;

export function kinds(): void {
  createController({
    name: "x",
    for: client.resource(Deployment),
    owns: [client.resource(Pod), client.resource(Secret).namespace("x"), client.resource(Pod).metadataOnly()],
    watches: [
      kindSource(client.resource(Node), enqueueForOwner(Deployment)),
      kindSource(
        client.resource(Node),
        enqueueMapped((node) => {
          type _Node = Expect<Equal<typeof node, DeepReadonly<Node>>>;
          return [];
        }),
        { predicates: [generationChanged(), (change) => change.object.spec?.unschedulable === true] },
      ),
    ],
    predicates: [(change) => change.object.spec?.paused !== true],
    reconcile(request, { object, store }) {
      type _Namespace = Expect<Equal<typeof request.namespace, string>>;
      type _Object = Expect<Equal<typeof object, DeepReadonly<Deployment> | undefined>>;
      type _Stored = Expect<Equal<ReturnType<typeof store.list>, DeepReadonly<Deployment>[]>>;
      return { requeueAfterMs: 1 };
    },
  });
  createController({
    name: "informer",
    for: createInformer(client.resource(Pod)),
    reconcile(request, { object }) {
      type _Namespace = Expect<Equal<typeof request.namespace, string | undefined>>;
      void (object satisfies DeepReadonly<Pod> | undefined);
    },
  });
  createController({
    name: "informer of a known kind",
    for: createInformer(client.resource(Pod)),
    kind: Pod,
    reconcile: ({ namespace }) => void (namespace satisfies string),
  });
  createController({
    name: "one namespace",
    for: client.resource(Pod).namespace("x"),
    reconcile: ({ namespace }) => void (namespace satisfies string),
  });
  createController({
    name: "cluster-scoped",
    for: client.resource(Node),
    reconcile: ({ namespace }) => {
      type _Namespace = Expect<Equal<typeof namespace, string | undefined>>;
    },
  });
  createController({
    name: "metadata",
    for: client.resource(Pod).metadataOnly(),
    reconcile(request, { object }) {
      type _Namespace = Expect<Equal<typeof request.namespace, string>>;
      type _Object = Expect<Equal<typeof object, DeepReadonly<PartialObjectMetadata> | undefined>>;
    },
  });
  // @ts-expect-error: requeueAfter is a number of milliseconds
  createController({ name: "wrong", for: client.resource(Pod), reconcile: () => ({ requeueAfter: "1s" }) });
  // @ts-expect-error: a kind is not a collection
  createController({ name: "wrong", for: Pod, reconcile: () => undefined });
}

export async function others(): Promise<void> {
  const result = await withLeadership({ leases: client.resource(Lease).namespace("x"), name: "l" }, () =>
    Promise.resolve(7),
  );
  type _Result = Expect<Equal<typeof result, number>>;
  // @ts-expect-error: writing Leases requires a namespace
  void withLeadership({ leases: client.resource(Lease), name: "l" }, () => Promise.resolve(7));
  const next = await createWorkQueue<{ readonly id: number }>().get();
  type _Next = Expect<Equal<NonNullable<typeof next>["item"], { readonly id: number }>>;
}
