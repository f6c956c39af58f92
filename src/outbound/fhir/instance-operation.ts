// Operations on one resource (`$status`, `$events`), repeated after a failure like every read. That an EHR does not offer one is an
// answer, not an error: the caller has another way.
import type { Ehr } from '../../ports/ehr.ts';
import { fromRefusal, unreadable } from './ehr-errors.ts';
import { type FhirAnswer, jsonOf } from './fhir-answer.ts';
import type { FhirClient } from './fhir-client.ts';
import { isResource } from './json.ts';

type Parts = { readonly site: string; readonly reads: FhirClient<FhirAnswer> };

const NOT_OFFERED: ReadonlySet<number> = new Set([400, 404, 405, 501]);

export function makeAsk({ site, reads }: Parts): Ehr['ask'] {
  return async (order, signal) => {
    const about = { site, what: order.operation };
    const answer = await reads.ask(order, signal);
    if (NOT_OFFERED.has(answer.status)) return undefined;
    if (answer.status >= 300) throw fromRefusal(about, answer);
    const resource = jsonOf(answer);
    if (isResource(resource)) return resource;
    throw unreadable(about, answer.body.kind === 'unreadable' ? answer.body.why : 'it is no resource');
  };
}
