// The EHRs of all sites: one for each site's settings, with its own connections, circuit and write slots. A change of settings makes a
// new one; callers that still hold the old one can go on with it, but it keeps no connections open.
import { createHash } from 'node:crypto';
import { LONGEST_WRITE_MS } from '../../domain/chart/chart-write.ts';
import { AppError } from '../../domain/errors.ts';
import type { EhrSettings } from '../../domain/site/site.ts';
import type { Tracing } from '../../platform/tracing/tracing.ts';
import type { Ehr, EhrReads, Ehrs } from '../../ports/ehr.ts';
import type { EhrKnowledge } from '../../ports/ehr-knowledge.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { type EhrLimits, type EhrRuntime, makeFhirEhr } from './fhir-ehr.ts';
import { publicJwks } from './jwks.ts';
import { openRecording } from './open-recording.ts';
import { makeEhrTransport } from './transport.ts';

export type EhrOperation = Exclude<keyof Ehr, 'withWriteSlot' | 'together'>;

/** One finished call, for the metrics: a read with all its tries, a recording with one pass over it. */
export type EhrCallReport = {
  readonly site: string;
  readonly operation: EhrOperation;
  /** `success`, the kind of answer to a write, or the code of the failure. */
  readonly outcome: string;
  readonly durationMs: number;
};

export type FhirEhrsParts = {
  readonly knowledge: EhrKnowledge;
  readonly runtime: EhrRuntime;
  readonly fetch?: typeof fetch;
  readonly tracing?: Pick<Tracing, 'startSpan'>;
  readonly onCall?: (call: EhrCallReport) => void;
  /** For tests; the defaults are right for a hospital. */
  readonly limits?: Partial<EhrLimits>;
};

export type FhirEhrs = Ehrs & {
  /** Discards the site's EHR with its cached capabilities and tokens; the next call makes a new one. */
  readonly renew: (site: string) => void;
  /** Closes all idle connections. */
  readonly close: () => void;
};

const LIMITS: EhrLimits = {
  readMs: 20_000,
  writeMs: 60_000,
  transactionMs: LONGEST_WRITE_MS,
  maxAnswerBytes: 16 * 1024 * 1024,
};

type Opened = {
  readonly ehr: Ehr;
  /** Calls in progress end by themselves, and their connections with them. */
  readonly close: () => void;
};

export function makeFhirEhrs(parts: FhirEhrsParts): FhirEhrs {
  const opened = new Map<string, { readonly settingsKey: string; readonly opened: Opened }>();
  return {
    of(site) {
      const settings = ehrSettings(site);
      const settingsKey = keyOf(site, settings);
      const known = opened.get(site.name);
      if (known?.settingsKey === settingsKey) return known.opened.ehr;
      known?.opened.close();
      const fresh = open(site, settings, parts);
      opened.set(site.name, { settingsKey, opened: fresh });
      return fresh.ehr;
    },
    async jwks(site) {
      const { ehr, launch } = site.settings;
      return ehr && publicJwks({ auth: ehr.auth, launch });
    },
    renew(site) {
      opened.get(site)?.opened.close();
      opened.delete(site);
    },
    close() {
      for (const { opened: one } of opened.values()) one.close();
    },
  };
}

function ehrSettings({ name, settings }: LoadedSite): EhrSettings {
  if (settings.ehr) return settings.ehr;
  throw new AppError('notConfigured', `${name} has no EHR: set ehr.baseUrl in its site.yaml`);
}

/** A hash: secrets are part of the settings. */
function keyOf(site: LoadedSite, ehr: EhrSettings): string {
  const text = JSON.stringify([ehr, site.settings.recording.origins]);
  return createHash('sha256').update(text).digest('base64');
}

function open(site: LoadedSite, ehr: EhrSettings, parts: FhirEhrsParts): Opened {
  const { runtime, knowledge, fetch, tracing, onCall } = parts;
  const transport = makeEhrTransport({
    site: site.name,
    ehr,
    attachmentOrigins: site.settings.recording.origins,
    now: runtime.now,
    ...(fetch && { fetch }),
    ...(tracing && { tracing }),
  });
  const bare = makeFhirEhr({
    site: site.name,
    baseUrl: ehr.baseUrl,
    maxConcurrentWrites: ehr.maxConcurrentWrites,
    transport,
    knowledge,
    runtime,
    openRecording: openRecording({ transport, site: site.name, baseUrl: ehr.baseUrl, now: runtime.now }),
    limits: { ...LIMITS, ...parts.limits },
  });
  const report: Report = (operation, outcome, durationMs) =>
    onCall?.({ site: site.name, operation, outcome, durationMs });
  return { ehr: watch(bare, { report, monotonicMs: runtime.monotonicMs }), close: transport.close };
}

type Report = (operation: EhrOperation, outcome: string, durationMs: number) => void;

function watch(
  ehr: Ehr,
  { report, monotonicMs }: { readonly report: Report; readonly monotonicMs: () => number },
): Ehr {
  const watched = async <T>(
    operation: EhrOperation,
    signal: AbortSignal,
    call: () => Promise<T>,
    name: (value: T) => string = () => 'success',
  ): Promise<T> => {
    const startedMs = monotonicMs();
    let outcome = 'internal';
    try {
      const value = await call();
      outcome = name(value);
      return value;
    } catch (thrown) {
      outcome = failureName(thrown, signal);
      throw thrown;
    } finally {
      report(operation, outcome, monotonicMs() - startedMs);
    }
  };
  const kindOf = (answer: { readonly kind: string }) => answer.kind;
  const watchReads = (reads: EhrReads): EhrReads => ({
    capabilities: (signal) => watched('capabilities', signal, () => reads.capabilities(signal)),
    read: (reference, signal) => watched('read', signal, () => reads.read(reference, signal)),
    search: (order, signal) => watched('search', signal, () => reads.search(order, signal)),
    find: (order, signal) => watched('find', signal, () => reads.find(order, signal)),
  });
  return {
    ...watchReads(ehr),
    together: (works, signal) =>
      ehr.together(works.map((work) => (reads: EhrReads) => work(watchReads(reads))) as never, signal),
    ask: (order, signal) => watched('ask', signal, () => ehr.ask(order, signal)),
    withWriteSlot: ehr.withWriteSlot,
    create: (order, signal) => watched('create', signal, () => ehr.create(order, signal), kindOf),
    update: (order, signal) => watched('update', signal, () => ehr.update(order, signal), kindOf),
    remove: (reference, signal) => watched('remove', signal, () => ehr.remove(reference, signal)),
    transact: (bundle, signal) => watched('transact', signal, () => ehr.transact(bundle, signal), kindOf),
    async *openRecording(source, signal) {
      const startedMs = monotonicMs();
      // A reader that stops early leaves by neither of the two ways below.
      let outcome = 'abandoned';
      try {
        yield* ehr.openRecording(source, signal);
        outcome = 'success';
      } catch (thrown) {
        outcome = failureName(thrown, signal);
        throw thrown;
      } finally {
        report('openRecording', outcome, monotonicMs() - startedMs);
      }
    },
  };
}

function failureName(thrown: unknown, { aborted }: AbortSignal): string {
  if (thrown instanceof AppError) return thrown.code;
  return aborted ? 'cancelled' : 'internal';
}
