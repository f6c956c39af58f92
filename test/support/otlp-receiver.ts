// A small collector of OpenTelemetry: takes spans by OTLP/HTTP as JSON, checks the form of each request, and can refuse requests.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const attribute = z.strictObject({
  key: z.string().min(1),
  value: z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  ]),
});
const nanoseconds = z.string().regex(/^\d{19}$/);
const spanSchema = z.strictObject({
  traceId: z.string().regex(/^(?!0{32})[0-9a-f]{32}$/),
  spanId: z.string().regex(/^(?!0{16})[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^(?!0{16})[0-9a-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes: z.array(attribute),
  status: z.strictObject({ code: z.literal(2).optional() }),
});
/** `ExportTraceServiceRequest` of opentelemetry-proto, as far as the engine uses it. */
const requestSchema = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: z.array(attribute) }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(spanSchema),
        }),
      ),
    }),
  ),
});

export type ReceivedSpan = Omit<z.infer<typeof spanSchema>, 'attributes'> & {
  readonly attributes: Readonly<Record<string, string>>;
};

export type OtlpReceiver = {
  readonly url: string;
  readonly spans: () => readonly ReceivedSpan[];
  readonly resources: () => readonly Readonly<Record<string, string>>[];
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
  /** What is wrong with requests, by the schema. */
  readonly problems: readonly string[];
  /** The next requests get these statuses; later ones are taken again. */
  readonly refuse: (...statuses: readonly { readonly status: number; readonly retryAfter?: string }[]) => void;
  /** Requests get no answer until `false`. */
  readonly hold: (isHeld: boolean) => void;
  readonly close: () => Promise<void>;
};

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const requests: OtlpReceiver['requests'][number][] = [];
  const problems: string[] = [];
  const taken: z.infer<typeof requestSchema>[] = [];
  const refusals: { status: number; retryAfter?: string }[] = [];
  let held = Promise.withResolvers<void>();
  held.resolve();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    requests.push({ path: request.url ?? '', headers: request.headers, body });
    await held.promise;
    const refusal = refusals.shift();
    if (refusal !== undefined) {
      response.writeHead(refusal.status, refusal.retryAfter === undefined ? {} : { 'retry-after': refusal.retryAfter });
      response.end();
      return;
    }
    const parsed = requestSchema.safeParse(JSON.parse(body));
    if (parsed.success) taken.push(parsed.data);
    else problems.push(parsed.error.message);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const resourceSpans = () => taken.flatMap((each) => each.resourceSpans);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    problems,
    spans: () =>
      resourceSpans()
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
        .map((span) => ({ ...span, attributes: toRecord(span.attributes) })),
    resources: () => resourceSpans().map(({ resource }) => toRecord(resource.attributes)),
    refuse: (...statuses) => void refusals.push(...statuses),
    hold: (isHeld) => {
      held.resolve();
      if (isHeld) held = Promise.withResolvers<void>();
    },
    close: async () => {
      held.resolve();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function toRecord(attributes: readonly z.infer<typeof attribute>[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, 'intValue' in value ? value.intValue : value.stringValue]),
  );
}
