// Tries all claims of an EHR's CapabilityStatement over HTTP and returns the false ones. A claim that cannot be tried counts as false.
import { isDeepStrictEqual } from 'node:util';
import type { CapabilityStatement, CapabilityStatementRestResource, Resource } from '@medplum/fhirtypes';
import { type Call, type CalledJson, statusesOf } from './fhir-calls.ts';
import { sampleOf } from './fhir-samples.ts';
import { brokenParameter, unclaimedParameters } from './fhir-search-claims.ts';

type Claims = CapabilityStatementRestResource;
type Trial = { readonly call: Call; readonly type: string; readonly claims: Claims };
/** Returns the problem; undefined if the claim is true. */
type Check = (trial: Trial) => Promise<string | undefined>;

const SYSTEM = 'urn:chartwright:claims';
let count = 0;

/** A sample with a unique tag. */
function taggedSample(type: string): { readonly sample: Resource; readonly tag: string; readonly condition: string } {
  const sample = sampleOf(type);
  if (!sample) throw new Error(`there is no sample of ${type}`);
  count += 1;
  const code = `trial-${count}`;
  const meta = {
    tag: [{ system: SYSTEM, code }],
    security: [{ system: SYSTEM, code: 'R' }],
    profile: [`http://example.org/StructureDefinition/${type}`],
  };
  const condition = `_tag=${encodeURIComponent(`${SYSTEM}|${code}`)}`;
  return { sample: { ...sample, meta }, tag: `${SYSTEM}|${code}`, condition };
}

async function created({ call, type }: Trial) {
  const tagged = taggedSample(type);
  const made = await call('POST', type, { body: tagged.sample });
  return { ...tagged, made, id: made.json.id ?? 'none', url: `${type}/${made.json.id}` };
}

/** The sample with another tag, which is a change that each type can have. */
function changed(sample: Resource, id: string): Resource {
  const tag = [...(sample.meta?.tag ?? []), { system: SYSTEM, code: 'changed' }];
  return { ...sample, id, meta: { ...sample.meta, tag } };
}

/** Returns the first false one of these. */
function firstWrong(facts: Readonly<Record<string, boolean>>): string | undefined {
  return Object.entries(facts).find(([, isSo]) => !isSo)?.[0];
}

const INTERACTIONS: Readonly<Record<string, Check>> = {
  create: async (trial) => {
    const { made, url } = await created(trial);
    const location = made.headers.get('location') ?? '';
    return firstWrong({ 'is not 201': made.status === 201, 'has no location': location.includes(`/${url}/_history/`) });
  },
  read: async (trial) => {
    const { url, made } = await created(trial);
    const read = await trial.call('GET', url);
    const isSame = isDeepStrictEqual(read.json, made.json);
    const nobody = await trial.call('GET', `${trial.type}/nobody`);
    return firstWrong({
      'is not 200': read.status === 200,
      'is another one': isSame,
      'is not 404': nobody.status === 404,
    });
  },
  vread: async (trial) => {
    const { url, made } = await created(trial);
    const read = await trial.call('GET', `${url}/_history/${made.json.meta?.versionId}`);
    const nobody = await trial.call('GET', `${url}/_history/99`);
    return firstWrong({ 'is not 200': read.status === 200, 'is not 404': nobody.status === 404 });
  },
  update: async (trial) => {
    const { url, id, sample } = await created(trial);
    const { status } = await trial.call('PUT', url, { body: changed(sample, id) });
    const tags = (await trial.call('GET', url)).text.includes('"changed"');
    return firstWrong({ 'is not 200': status === 200, 'is not stored': tags });
  },
  delete: async (trial) => {
    const { url, condition } = await created(trial);
    const { status } = await trial.call('DELETE', url);
    const [read, found] = [await trial.call('GET', url), await trial.call('GET', `${trial.type}?${condition}`)];
    const isFound = found.json.entry !== undefined;
    return firstWrong({ 'is not 2xx': status < 300, 'is not 410': read.status === 410, 'is still found': !isFound });
  },
  'history-instance': async (trial) => {
    const { url, id, sample } = await created(trial);
    await trial.call('PUT', url, { body: changed(sample, id) });
    const { status, json } = await trial.call('GET', `${url}/_history`);
    const isBoth = json.entry?.length === 2 && json['type'] === 'history';
    return firstWrong({ 'is not 200': status === 200, 'has not both versions': isBoth });
  },
  'search-type': async (trial) => {
    const { id, condition } = await created(trial);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const ways = [
      await trial.call('GET', `${trial.type}?${condition}&_total=accurate`),
      await trial.call('POST', `${trial.type}/_search`, { body: `${condition}&_total=accurate`, headers }),
    ];
    const isOne = ({ json }: { json: CalledJson }) => json.entry?.[0]?.resource?.id === id && json['total'] === 1;
    return firstWrong({ 'does not find the one': ways.every(isOne) });
  },
};
/** The requests that try interactions which are not claimed. */
const UNCLAIMED: Readonly<Record<string, readonly [method: string, below: (id: string) => string]>> = {
  create: ['POST', () => ''],
  read: ['GET', (id) => `/${id}`],
  vread: ['GET', (id) => `/${id}/_history/1`],
  update: ['PUT', (id) => `/${id}`],
  patch: ['PATCH', (id) => `/${id}`],
  delete: ['DELETE', (id) => `/${id}`],
  'history-instance': ['GET', (id) => `/${id}/_history`],
  'history-type': ['GET', () => '/_history'],
  'search-type': ['GET', () => ''],
};

const isOf = (allowed: unknown, claimed: unknown) => (allowed === claimed ? undefined : `cannot be tried: ${claimed}`);

/** The checks of the other claims of a type, by name. */
const FEATURES: Readonly<Record<string, Check>> = {
  type: async () => undefined,
  interaction: async (trial) => {
    const claimed = trial.claims.interaction?.map(({ code = '' }) => String(code)) ?? [];
    for (const code of claimed) {
      const wrong = await (INTERACTIONS[code] ?? (async () => 'cannot be tried'))(trial);
      if (wrong !== undefined) return `${code} ${wrong}`;
    }
    for (const [code, [method, below]] of Object.entries(UNCLAIMED)) {
      if (claimed.includes(code)) continue;
      const { id, sample } = await created(trial);
      const body = method === 'GET' || method === 'DELETE' ? undefined : { ...sample, id };
      const { status } = await trial.call(method, `${trial.type}${below(id)}`, { body });
      if (status < 400) return `${code} is done, and not claimed`;
    }
    return undefined;
  },
  versioning: async (trial) => {
    const { url, id, sample, made } = await created(trial);
    const put = (body: Resource, headers = {}) => trial.call('PUT', url, { body, headers });
    const second = await put(changed(sample, id), { 'if-match': 'W/"1"' });
    const stale = await put({ ...sample, id }, { 'if-match': 'W/"1"' });
    return (
      isOf('versioned', trial.claims.versioning) ??
      firstWrong({
        'the first is not version 1': made.headers.get('etag') === 'W/"1"' && made.json.meta?.versionId === '1',
        'the second is not version 2': second.headers.get('etag') === 'W/"2"',
        'a stale version is not 412': stale.status === 412,
      })
    );
  },
  readHistory: async (trial) => {
    const { url, id, sample, made } = await created(trial);
    await trial.call('PUT', url, { body: changed(sample, id) });
    await trial.call('DELETE', url);
    const old = await trial.call('GET', `${url}/_history/1`);
    const isSame = isDeepStrictEqual(old.json, made.json);
    return isOf(true, trial.claims.readHistory) ?? firstWrong({ 'the first version cannot be read': isSame });
  },
  updateCreate: async (trial) => {
    const { sample } = taggedSample(trial.type);
    const { status } = await trial.call('PUT', `${trial.type}/my-own`, { body: { ...sample, id: 'my-own' } });
    return trial.claims.updateCreate
      ? firstWrong({ 'is not 201': status === 201 })
      : firstWrong({ 'is done': status >= 400 });
  },
  conditionalCreate: async (trial) => {
    const { sample, condition } = taggedSample(trial.type);
    const create = () => trial.call('POST', trial.type, { body: sample, headers: { 'if-none-exist': condition } });
    const [first, second] = [await create(), await create()];
    await trial.call('POST', trial.type, { body: sample });
    return (
      isOf(true, trial.claims.conditionalCreate) ??
      firstWrong({
        'is not made once': first.status === 201 && second.status === 200 && first.json.id === second.json.id,
        'among several is not 412': (await create()).status === 412,
      })
    );
  },
  conditionalRead: async (trial) => {
    const { url } = await created(trial);
    const { status } = await trial.call('GET', url, { headers: { 'if-none-match': 'W/"1"' } });
    return isOf('not-supported', trial.claims.conditionalRead) ?? firstWrong({ 'is done': status === 200 });
  },
  conditionalUpdate: async (trial) => {
    const { sample, condition } = taggedSample(trial.type);
    const update = (body: Resource) => trial.call('PUT', `${trial.type}?${condition}`, { body });
    const [first, second] = [await update(sample), await update(changed(sample, ''))];
    await trial.call('POST', trial.type, { body: sample });
    const many = await update(sample);
    return (
      isOf(true, trial.claims.conditionalUpdate) ??
      firstWrong({
        'does not make the first': first.status === 201,
        'does not change the second': second.status === 200 && second.headers.get('etag') === 'W/"2"',
        'among several is not 412': many.status === 412,
      })
    );
  },
  conditionalDelete: async (trial) => {
    const { url, sample, condition } = await created(trial);
    const remove = () => trial.call('DELETE', `${trial.type}?${condition}`);
    const { status } = await remove();
    const read = await trial.call('GET', url);
    for (const body of [sample, sample]) await trial.call('POST', trial.type, { body });
    const many = await remove();
    return (
      isOf('single', trial.claims.conditionalDelete) ??
      firstWrong({
        'is not gone': status < 300 && read.status === 410,
        'among several is not 412': many.status === 412,
      })
    );
  },
  searchParam: async (trial) => {
    const claims = (trial.claims.searchParam ?? []).map(({ name = '', type = '' }) => ({ name, type }));
    const { tag, made } = await created(trial);
    for (const claim of claims) {
      const resource = made.json as unknown as Resource;
      const wrong = await brokenParameter(claim, { type: trial.type, resource, tag, call: trial.call });
      if (wrong !== undefined) return `${claim.name} ${wrong}`;
    }
    for (const name of unclaimedParameters(trial.type, claims)) {
      const { status } = await trial.call('GET', `${trial.type}?${name}=x`);
      if (status !== 400) return `${name} is not refused`;
    }
    return undefined;
  },
  searchInclude: async (trial) => {
    const { condition } = await created(trial);
    for (const include of trial.claims.searchInclude ?? []) {
      const { json } = await trial.call('GET', `${trial.type}?${condition}&_include=${include}`);
      const modes = json.entry?.map(({ search }) => search?.mode) ?? [];
      if (modes.join() !== 'match,include') return `${include} finds ${modes.join()}`;
    }
    return undefined;
  },
  operation: async (trial) => {
    const topic = { criteria: 'http://example.org/SubscriptionTopic/encounters' };
    const { json } = await trial.call('POST', trial.type, { body: { ...sampleOf(trial.type), ...topic } });
    for (const { name } of trial.claims.operation ?? []) {
      const { status, text } = await trial.call('GET', `${trial.type}/${json.id}/$${name}`);
      if (status !== 200 || !text.includes('"Bundle"')) return `$${name} is not answered`;
    }
    return undefined;
  },
};

/** Returns `Condition.searchParam: identifier finds …` for each false claim. */
export async function brokenTypeClaims(call: Call, claims: Claims): Promise<readonly string[]> {
  const type = String(claims.type);
  const broken: string[] = [];
  for (const feature of new Set([...Object.keys(claims), 'interaction', 'searchParam'])) {
    const check = FEATURES[feature] ?? (async () => 'cannot be tried');
    const wrong = await check({ call, type, claims });
    if (wrong !== undefined) broken.push(`${type}.${feature}: ${wrong}`);
  }
  return broken;
}

/** Checks the claims about the whole server. */
export async function brokenServerClaims(call: Call, statement: CapabilityStatement): Promise<readonly string[]> {
  const [rest] = statement.rest ?? [];
  const broken: string[] = [];
  for (const code of rest?.interaction?.map(({ code }) => String(code)) ?? []) {
    if (code !== 'transaction' && code !== 'batch') broken.push(`${code}: cannot be tried`);
    else {
      const wrong = await brokenBundle(call, code);
      if (wrong !== undefined) broken.push(`${code}: ${wrong}`);
    }
  }
  for (const url of ['_history', '?_type=Condition', '']) {
    if ((await call('GET', url)).status < 400) broken.push(`GET ${url} is done, and not claimed`);
  }
  for (const format of ['application/fhir+xml', 'text/turtle']) {
    const isClaimed = statement.format?.some((one) => format.includes(one)) ?? false;
    const { status } = await call('GET', 'Patient?_count=1', { headers: { accept: format } });
    if ((status === 200) !== isClaimed) broken.push(`${format}: ${status}`);
  }
  return broken;
}

async function brokenBundle(call: Call, kind: 'transaction' | 'batch'): Promise<string | undefined> {
  const { sample, condition } = taggedSample('Condition');
  const entry = [sample, { resourceType: 'Condition' }].map((resource) => ({
    resource,
    request: { method: 'POST', url: 'Condition' },
  }));
  const answer = await call('POST', '', { body: { resourceType: 'Bundle', type: kind, entry } });
  const found = (await call('GET', `Condition?${condition}`)).json.entry?.length ?? 0;
  if (kind === 'transaction')
    return firstWrong({ 'is not refused': answer.status === 400, 'is stored in part': found === 0 });
  const isOneByOne = statusesOf(answer).join() === '201,400';
  return firstWrong({ 'does not answer one by one': isOneByOne, 'does not store the good one': found === 1 });
}
