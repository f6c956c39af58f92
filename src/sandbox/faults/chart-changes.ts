// Faults that change the chart while the engine works on it: the change happens just before a request is handled.
import {
  type FaultHandler,
  type FaultRequest,
  type FaultTools,
  ImpossibleFault,
  type Json,
  updatedReferences,
} from './exchange.ts';
import type { FaultOf } from './faults.ts';
import { isUpdate } from './update-faults.ts';

type Change = (request: FaultRequest) => Promise<void>;

export function editedInBetween({ change = { language: 'en-AU' } }: FaultOf<'edited-in-between'>, tools: FaultTools) {
  return before(isUpdate, async (request) => {
    for (const reference of updatedReferences(request)) await edit({ request, tools, reference, change: () => change });
  });
}

export function mergedPatient({ patient, into, encounter }: FaultOf<'merged-patient'>, tools: FaultTools) {
  return once(async (request) => {
    const link = [{ other: { reference: `Patient/${into}` }, type: 'replaced-by' }];
    await edit({ request, tools, reference: `Patient/${patient}`, change: () => ({ active: false, link }) });
    if (encounter !== undefined) await move({ request, tools, encounter, to: into });
  });
}

export function movedEncounter({ encounter, to }: FaultOf<'moved-encounter'>, tools: FaultTools) {
  return once((request) => move({ request, tools, encounter, to }));
}

export function cancelledEncounter(
  { encounter, status = 'cancelled' }: FaultOf<'cancelled-encounter'>,
  tools: FaultTools,
) {
  return once((request) => edit({ request, tools, reference: `Encounter/${encounter}`, change: () => ({ status }) }));
}

export function deletedPatient({ patient }: FaultOf<'deleted-patient'>, tools: FaultTools) {
  return once(async (request) => {
    await tools.ask(request)('DELETE', `Patient/${patient}`);
  });
}

/** Makes the change before each request that fits. */
function before(isFor: FaultHandler['isFor'], change: Change): FaultHandler {
  return {
    isFor,
    handle: async (request, next) => {
      await change(request);
      return next(request);
    },
  };
}

/** The chart changes once; all requests wait until it has changed. */
function once(change: Change): FaultHandler {
  let done: Promise<void> | undefined;
  return before(
    () => true,
    (request) => {
      done ??= change(request);
      return done;
    },
  );
}

type EditParts = {
  readonly request: FaultRequest;
  readonly tools: FaultTools;
  readonly reference: string;
  readonly change: (resource: Json) => Json;
};

async function edit({ request, tools, reference, change }: EditParts): Promise<void> {
  const ask = tools.ask(request);
  const found = await ask('GET', reference);
  if (found.status !== 200) throw new ImpossibleFault('The fault wants to change a resource that is not there');
  const { status } = await ask('PUT', reference, { ...found.json, ...change(found.json ?? {}) });
  if (status >= 300) throw new ImpossibleFault('The EHR does not let the fault change the resource');
}

type MoveParts = Omit<EditParts, 'reference' | 'change'> & { readonly encounter: string; readonly to: string };

function move({ encounter, to, ...parts }: MoveParts): Promise<void> {
  const change = () => ({ subject: { reference: `Patient/${to}` } });
  return edit({ ...parts, reference: `Encounter/${encounter}`, change });
}
