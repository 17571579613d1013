import type { Change } from "../../cache/store/change.js";
import { metadataOf } from "../../cache/store/object-key.js";
import { quietly } from "../../internal/quietly.js";
import {
  failSpan,
  formatTraceparent,
  type Span,
  type SpanAttributes,
  type SpanContext,
  type SpanOptions,
  spanKind,
  type Tracer,
} from "../../internal/telemetry/tracing.js";
import type { ReconcileOutcome } from "./controller.js";
import { type ReconcileRequest, requestKey } from "./reconcile-request.js";

type Link = NonNullable<SpanOptions["links"]>[number];

/** Change of a source that enqueued a request. */
interface TracedChange {
  /** Description of the source. */
  readonly source: string;
  readonly change: Change<unknown>;
}

/** Cause of a request: a change, or a caller from outside the controller. */
export type EnqueueCause = TracedChange | "caller";

/** Span of one reconcile. */
export interface ReconcileSpan {
  /** Value for the header `traceparent`. */
  readonly traceparent: string | undefined;
  /** Ends the span. Never throws. A later reconcile for the same request is linked to it. */
  end(outcome: ReconcileOutcome): void;
}

/** Links of a request. More changes than this are left out. */
const maxLinks = 16;

/** Traces the reconciles of a controller: one span each, linked to the changes that caused it. */
export class ReconcileTracing {
  readonly #tracer: Tracer;
  readonly #controller: string;
  /** Causes of requests that wait, by their keys. */
  readonly #causes = new Map<string, Link[]>();
  /** Last change with its span, because a change may enqueue several requests. */
  #last: { readonly change: Change<unknown>; readonly context: SpanContext } | undefined;

  constructor(tracer: Tracer, controller: string) {
    this.#tracer = tracer;
    this.#controller = controller;
  }

  /** Starts and ends a span for the cause of a request. The span of a caller is a child of the active one. Never throws. */
  enqueued(request: ReconcileRequest, cause: EnqueueCause): void {
    quietly(() => this.#trace(request, cause))();
  }

  /** Calls `work` in the span of a reconcile. If the tracer throws, it is called without one. */
  async run(
    call: { readonly request: ReconcileRequest; readonly reconcileId: string; readonly priority: number },
    work: (span: ReconcileSpan | undefined) => Promise<void>,
  ): Promise<void> {
    const { request, reconcileId, priority } = call;
    const key = requestKey(request);
    const links = this.#causes.get(key) ?? [];
    this.#causes.delete(key);
    const attributes = { ...this.#describe(request), "reconcile.id": reconcileId, "reconcile.priority": priority };
    let working: Promise<void> | undefined;
    quietly(() => {
      const options = { kind: spanKind.consumer, root: true, attributes, links };
      this.#tracer.startActiveSpan(`reconcile ${this.#controller}`, options, (span) => {
        working ??= work(this.#follow(span, request));
      });
    })();
    await (working ?? work(undefined));
  }

  #follow(span: Span, request: ReconcileRequest): ReconcileSpan {
    let context: SpanContext | undefined;
    quietly(() => (context = span.spanContext()))();
    return {
      traceparent: context && formatTraceparent(context),
      end: quietly(({ result, error, requeueAfterMs }: ReconcileOutcome): void => {
        if (requeueAfterMs !== undefined && context !== undefined)
          this.#addCause(request, {
            context,
            attributes: { "reconcile.cause": result === "requeueAfter" ? "requeue" : "retry" },
          });
        span.setAttribute("reconcile.result", result);
        if (requeueAfterMs !== undefined) span.setAttribute("reconcile.requeue_after_ms", requeueAfterMs);
        if (error !== undefined && result !== "aborted") failSpan(span, error);
        span.end();
      }),
    };
  }

  #trace(request: ReconcileRequest, cause: EnqueueCause): void {
    if (cause === "caller") {
      const options = { kind: spanKind.producer, attributes: this.#describe(request) };
      const span = this.#tracer.startSpan(`enqueue ${this.#controller}`, options);
      span.end();
      this.#addCause(request, { context: span.spanContext(), attributes: { "reconcile.cause": "enqueue" } });
      return;
    }
    const { change } = cause;
    if (this.#last?.change !== change) this.#last = { change, context: this.#traceChange(cause) };
    this.#addCause(request, { context: this.#last.context, attributes: { "reconcile.cause": change.type } });
  }

  #traceChange({ source, change }: TracedChange): SpanContext {
    const { resourceVersion = "" } = metadataOf(change.object) ?? {};
    const span = this.#tracer.startSpan(`${change.type} ${source}`, {
      kind: spanKind.producer,
      root: true,
      attributes: {
        "change.type": change.type,
        "change.source": source,
        "change.key": change.key,
        "change.resource_version": resourceVersion,
      },
    });
    span.end();
    return span.spanContext();
  }

  #describe({ namespace, name }: ReconcileRequest): SpanAttributes {
    return {
      "controller.name": this.#controller,
      "reconcile.name": name,
      ...(namespace !== undefined && { "k8s.namespace.name": namespace }),
    };
  }

  #addCause(request: ReconcileRequest, link: Link): void {
    const key = requestKey(request);
    const links = this.#causes.get(key);
    if (links === undefined) this.#causes.set(key, [link]);
    else if (links.length < maxLinks && links.every(({ context }) => context.spanId !== link.context.spanId))
      links.push(link);
  }
}
