// The sandbox's EHR as a process of its own, so that its processor time is counted alone: on 127.0.0.1, with the limits of a real server and,
// if requested, with its pace. It ends with the process that started it.
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Encounter, Patient, Resource, ResourceType } from '@medplum/fhirtypes';
import { makeFaults } from '../../src/sandbox/faults/make-faults.ts';
import { openSandboxEhr } from '../../src/sandbox/fhir/sandbox-ehr.ts';

/** The time that the server needs for a request, and the number of requests that it processes at a time; the others wait. */
export type Pace = { readonly readMs: number; readonly transactionMs: number; readonly atOnce: number };

export type EhrQuestion =
  | { readonly ask: 'admit'; readonly patients: readonly Patient[]; readonly encounters: readonly Encounter[] }
  | { readonly ask: 'pace'; readonly pace: Pace | undefined }
  /** The number of resources with each identity of that system. */
  | { readonly ask: 'count'; readonly system: string };

export type EhrAnswer =
  | { readonly baseUrl: string }
  | { readonly counts: readonly (readonly [identity: string, count: number])[] }
  | { readonly isDone: true };

let pace: Pace | undefined;
let busy = 0;
const waiting: (() => void)[] = [];

const { store, baseUrl } = await openSandboxEhr({
  wrap: (listener) => {
    const faults = makeFaults(listener);
    faults.set([
      { mode: 'entry-limit', maxEntries: 8 },
      { mode: 'disturbed', takesMs: 50 },
    ]);
    return paced(faults.listener);
  },
});
process.on('disconnect', () => process.exit());
process.on('message', (question: EhrQuestion) => void process.send?.(answer(question)));
process.send?.({ baseUrl } satisfies EhrAnswer);

function answer(question: EhrQuestion): EhrAnswer {
  switch (question.ask) {
    case 'admit':
      for (const resource of [...question.patients, ...question.encounters]) store.put(resource);
      return { isDone: true };
    case 'pace':
      pace = question.pace;
      return { isDone: true };
    case 'count':
      return { counts: [...countIdentities(question.system)] };
  }
}

function countIdentities(system: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const type of Object.keys(store.counts())) {
    for (const resource of store.all(type as ResourceType)) {
      for (const name of namesOf(resource, system)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}

function namesOf(resource: Resource, system: string): readonly string[] {
  const { identifier } = resource as { readonly identifier?: unknown };
  const identifiers = [identifier ?? []].flat() as readonly { readonly system?: string; readonly value?: string }[];
  const named = identifiers.flatMap(({ system: of, value }) => (of === system && value ? [value] : []));
  const tagged = (resource.meta?.tag ?? []).flatMap(({ system: of, code }) => (of === system && code ? [code] : []));
  return [...new Set([...named, ...tagged])];
}

function paced(listener: RequestListener): RequestListener {
  return (request, response) => {
    const current = pace;
    if (current === undefined) return listener(request, response);
    void serveInTurn(current, request.method === 'POST' ? current.transactionMs : current.readMs, () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      response.once('close', resolve);
      listener(request, response);
      return promise;
    });
  };
}

async function serveInTurn({ atOnce }: Pace, takesMs: number, serve: () => Promise<void>): Promise<void> {
  if (busy < atOnce) busy += 1;
  else await new Promise<void>((resolve) => void waiting.push(resolve));
  await sleep(takesMs);
  await serve();
  const next = waiting.shift();
  if (next === undefined) busy -= 1;
  else next();
}
