// Paged searches of the sandbox's EHR, and the parameters that are refused.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSandboxEhr, type SandboxEhr } from '../../src/sandbox/fhir/sandbox-ehr.ts';
import { aCondition, type Call, type Called, callsTo } from './fhir-calls.ts';

let ehr: SandboxEhr;
let call: Call;
beforeEach(async () => {
  ehr = await openSandboxEhr();
  call = callsTo(ehr.baseUrl);
  for (let index = 0; index < 7; index += 1) put(`c-${index}`);
});
afterEach(() => ehr.close());

const put = (id: string, text = 'Cough') => ehr.store.put({ ...aCondition(id, { code: { text } }), id });
const idsOf = ({ json }: Called) => (json.entry ?? []).map(({ resource }) => resource?.id);
const nextOf = ({ json }: Called) =>
  json.link?.find(({ relation }) => relation === 'next')?.url?.slice(ehr.baseUrl.length + 1);

/** Reads all pages; `between` is called after each. */
async function allPages(query: string, between: () => void): Promise<readonly (readonly (string | undefined)[])[]> {
  const pages: (readonly (string | undefined)[])[] = [];
  let next: string | undefined = query;
  while (next !== undefined) {
    const page: Called = await call('GET', next);
    pages.push(idsOf(page));
    next = nextOf(page);
    between();
  }
  return pages;
}

describe('the pages of a search', () => {
  const pages = [['c-0', 'c-1', 'c-2'], ['c-3', 'c-4', 'c-5'], ['c-6']];
  let added = 0;

  it('have each resource once if others are added in between', async () => {
    const add = () => void put(`x-${added++}`);
    expect(await allPages('Condition?_count=3', add)).toEqual(pages);
    expect(await allPages('Condition?patient=p-1&_count=3&_id=c-0,c-1,c-2,c-3,c-4,c-5,c-6', add)).toEqual(pages);
  });

  it('have each resource once if an added one would be the first', async () => {
    const seen = await allPages('Condition?_sort=-_id&_count=3', () => void put(`z-${added++}`));
    expect(seen.flat()).toEqual(['c-6', 'c-5', 'c-4', 'c-3', 'c-2', 'c-1', 'c-0']);
  });

  it('have each resource once if one of them is changed in between', async () => {
    const seen = await allPages('Condition?patient=p-1&_count=3', () => void put('c-1', `change ${added++}`));
    expect(seen).toEqual(pages);
  });

  it('have the same total on each page if the client asks for it', async () => {
    const first = await call('GET', 'Condition?_count=3&_total=accurate');
    put('later');
    const second = await call('GET', nextOf(first) ?? '');
    expect([first.json['total'], second.json['total']]).toEqual([7, 7]);
    expect((await call('GET', 'Condition?_count=0&_total=accurate')).json['total']).toBe(8);
  });
});

describe('a search is refused', () => {
  it.each([
    'shoe-size=44',
    'code:above=x',
    'code:text=x',
    'subject:Patient=p-1',
    'code:missing=perhaps',
    'recorded-date=yesterday',
    'recorded-date=ap2026',
    '_count=some',
    '_count=-1',
    '_offset=x',
    '_sort=shoe-size',
    '_include=Condition:code',
    '_include=*',
    '_revinclude=Provenance:target',
    '_total=some',
    '_summary=count',
    '_elements=code',
    'subject.name=Ada',
    '_has:Provenance:target:agent=x',
  ])('for %s', async (query) => {
    const { status, json } = await call('GET', `Condition?${query}`);
    expect([status, json['resourceType']]).toEqual([400, 'OperationOutcome']);
  });
});

describe('an unsupported search parameter', () => {
  const headers = { prefer: 'handling=lenient' };

  it('is left out with lenient handling, and the answer shows the used parameters', async () => {
    const answer = await call('GET', 'Condition?shoe-size=44&_id=c-1', { headers });
    expect([answer.status, idsOf(answer)]).toEqual([200, ['c-1']]);
    expect(answer.json.link?.[0]).toEqual({ relation: 'self', url: `${ehr.baseUrl}/Condition?_id=c-1` });
  });

  it('is never left out of a condition of a write', async () => {
    const lenient = { ...headers, 'if-none-exist': 'shoe-size=44' };
    expect((await call('POST', 'Condition', { body: aCondition('x'), headers: lenient })).status).toBe(400);
    expect((await call('DELETE', 'Condition?shoe-size=44', { headers })).status).toBe(400);
    expect(ehr.store.counts()).toEqual({ Condition: 7 });
  });
});
