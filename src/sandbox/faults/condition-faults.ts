// Faults of conditional creates: refused, ignored, limited, or subject to races.
import {
  type BundleEntry,
  entriesOf,
  type FaultHandler,
  type FaultRequest,
  type FaultTools,
  hasCondition,
  isBundle,
  refusal,
  splitPath,
  withEntries,
  withoutConditions,
} from './exchange.ts';
import type { FaultOf } from './faults.ts';
import { withTypes } from './statement-edits.ts';

const DEFAULT_ENTRIES = 8;
const DEFAULT_WINDOW_MS = 20;

const isConditionalTransaction = (request: FaultRequest) =>
  request.kind.isTransaction && (hasCondition(request) || hasConditionalUpdate(request));

function hasConditionalUpdate({ json }: FaultRequest): boolean {
  return entriesOf(json).some(({ request }) => request['method'] !== 'GET' && String(request['url']).includes('?'));
}

export function entryLimit({ maxEntries = DEFAULT_ENTRIES }: FaultOf<'entry-limit'>): FaultHandler {
  return {
    isFor: (request) => isConditionalTransaction(request) && entriesOf(request.json).length > maxEntries,
    handle: async () =>
      refusal(400, { code: 'invalid', text: 'Transaction requires strict isolation but has too many entries' }),
  };
}

export function disturbed(fault: FaultOf<'disturbed'>, { wait }: FaultTools): FaultHandler {
  const { status = 400, times, takesMs = 0 } = fault;
  let underWay = 0;
  return {
    isFor: isConditionalTransaction,
    handle: async (request, next) => {
      if (times !== undefined || underWay > 0) {
        return status === 409
          ? refusal(409, { code: 'conflict', text: 'Conflict with another transaction' })
          : refusal(400, { code: 'invalid', text: 'Assigned ID is already in use' });
      }
      underWay += 1;
      try {
        if (takesMs > 0) await wait(takesMs);
        return await next(request);
      } finally {
        underWay -= 1;
      }
    },
  };
}

export function noConditionalCreate(fault: FaultOf<'no-conditional-create'>): FaultHandler {
  const { how = 'ignored', isAnnounced = false } = fault;
  return {
    isFor: hasCondition,
    handle: async (request, next) =>
      how === 'ignored'
        ? next(withoutConditions(request))
        : refusal(how, { code: 'not-supported', text: 'Conditional create is not supported' }),
    ...(isAnnounced && { editStatement: withTypes((resource) => ({ ...resource, conditionalCreate: false })) }),
  };
}

/** The condition is checked when the request arrives and the resource is stored later, so two requests can both find nothing. */
export function conditionalRace(fault: FaultOf<'conditional-race'>, tools: FaultTools): FaultHandler {
  const { windowMs = DEFAULT_WINDOW_MS } = fault;
  const waiting = new Set<() => void>();
  const companion = async () => {
    for (const goOn of waiting) goOn();
    const { promise, resolve } = Promise.withResolvers<void>();
    if (waiting.size > 0) return;
    waiting.add(resolve);
    await Promise.race([promise, tools.wait(windowMs)]);
    waiting.delete(resolve);
  };
  return {
    isFor: hasCondition,
    handle: async (request, next) => {
      const seenNow = await dropUnmatched(request, tools);
      await companion();
      return next(seenNow);
    },
  };
}

/** Drops the conditions that match no resource now; `isSeen` decides which matching resources count. */
export async function dropUnmatched(
  request: FaultRequest,
  tools: FaultTools,
  isSeen: (reference: string) => boolean = () => true,
): Promise<FaultRequest> {
  const ask = tools.ask(request);
  const isMatched = async (type: string, condition: unknown) => {
    if (typeof condition !== 'string') return true;
    const { json } = await ask('GET', `${type}?${condition}`);
    return entriesOf(json).some(({ resource }) => isSeen(`${type}/${String(resource?.['id'])}`));
  };
  if (!isBundle(request)) {
    const { type = '' } = splitPath(request.path);
    return (await isMatched(type, request.headers['if-none-exist'])) ? request : withoutConditions(request);
  }
  const edited = new Map<unknown, BundleEntry>();
  for (const entry of entriesOf(request.json)) {
    const { ifNoneExist, ...rest } = entry.request;
    const isKept = await isMatched(String(rest['url']), ifNoneExist);
    edited.set(entry, isKept ? entry : { ...entry, request: rest });
  }
  return withEntries(request, (entry) => edited.get(entry) ?? entry);
}
