// From an event to the chart without a model: a site that allows the rules gets their drafts, marked as such. The runs of any other site
// wait, and all views of the site say why.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { chartOf, chartShape, untilRun, viewOf } from '../support/journey-runs.ts';
import { startWorld, type World } from '../support/run-world.ts';

const LIMIT_MS = 150_000;
const NO_MODEL = { OPENAI_BASE_URL: '' };

let world: World;
let engine: Engine;
let trying: string;
let waiting: string;

beforeAll(async () => {
  world = await startWorld({ sites: 2, settings: 'engines: { allow: [builtin] }' });
  [trying = '', waiting = ''] = world.sites;
  await world.writeSite(waiting, '');
  engine = await world.start('a', NO_MODEL);
});
afterAll(() => world?.close());

const ofType = (site: string, type: string) =>
  chartOf({ ehrOf: world.ehrOf, sites: [site] })
    .map(({ resource }) => resource)
    .filter(({ resourceType }) => resourceType === type);

describe('a site that allows the rules', () => {
  it('a site that allows the rules has their note in the chart, as a draft whose author is not called a model', async () => {
    const visit = world.admit({ site: trying });
    await world.tell(visit);
    const { id } = await untilRun(engine, visit.encounter);
    expect(chartShape(world, visit.encounter)).toEqual(
      expect.arrayContaining(['Composition composition', 'DocumentReference document-reference']),
    );
    expect(ofType(trying, 'Composition')).toMatchObject([{ status: 'preliminary' }]);
    const [device] = ofType(trying, 'Device');
    expect(device).toMatchObject({
      manufacturer: 'builtin',
      modelNumber: expect.stringMatching(/^\d+$/),
      type: { text: 'Rule-based clinical documentation software' },
    });
    expect(ofType(trying, 'Composition')[0]?.['author']).toMatchObject([{ reference: `Device/${device?.['id']}` }]);
    const { versions } = await viewOf(engine, id);
    expect(versions.model).toMatch(/^builtin:rules@\d+$/);
    expect(world.model.requests).toEqual([]);
  });

  it('a site that allows the rules has the statements of the conversation in the note, and a differential', async () => {
    const visit = world.admit({ site: trying });
    await world.tell(visit);
    const { id } = await untilRun(engine, visit.encounter);
    const { note, diagnosis } = await viewOf(engine, id);
    expect(JSON.stringify(note)).toMatch(/chest pain/i);
    expect(JSON.stringify(diagnosis)).toMatch(/"icd10_code"/);
  });
});

describe('a site that does not allow the rules', () => {
  it('a site that does not allow the rules gets no document: its run waits, and reports the reason and what to do', async () => {
    const visit = world.admit({ site: waiting });
    await world.tell(visit);
    const run = await untilRun(engine, visit.encounter, 'waiting');
    expect(run.reason).toBe('engines');
    expect(run.message).toMatch(/does not allow builtin:rules@\d+.*engines\.allow.*OPENAI_API_KEY/);
    expect(ofType(waiting, 'Composition')).toEqual([]);
    expect(ofType(waiting, 'Device')).toEqual([]);
  });

  it('a site that does not allow the rules is named before any run of it: in the startup message, in the log, in /readyz, by sites list and by a probe', async () => {
    const { stdout, stderr } = engine.output();
    expect(stdout).toMatch(
      new RegExp(`whose runs wait for another reasoner \\(engines in site\\.yaml\\):\\s+${waiting}\\n`),
    );
    expect(stderr).toContain(`${waiting} is live, and its runs will wait. The site does not allow builtin:rules`);
    expect(stderr).not.toContain(`${trying} is live`);
    const { status, components } = (await (await fetch(`${engine.url}/readyz`)).json()) as {
      readonly status: string;
      readonly components: readonly { readonly name: string; readonly detail: string }[];
    };
    expect(status).toBe('degraded');
    expect(components.find(({ name }) => name === 'reasoner')?.detail).toMatch(
      new RegExp(`Runs wait .*: ${waiting}\\.$`),
    );
    const { sites } = (await engine.ops('GET', '/sites')) as {
      readonly sites: readonly { readonly name: string; readonly warning?: string }[];
    };
    expect(sites.map(({ name, warning }) => [name, warning?.includes('its runs wait')]).toSorted()).toEqual([
      [trying, undefined],
      [waiting, true],
    ]);
    const probe = (await engine.ops('POST', `/sites/${waiting}/probe`, {})) as { readonly warnings: readonly string[] };
    expect(probe.warnings.join('\n')).toMatch(/Its runs will wait\. .*builtin:rules/);
  });

  it(
    'a site gets the documents within a minute after it allows the rules, without further action',
    async () => {
      const visit = world.admit({ site: waiting });
      await world.tell(visit);
      await untilRun(engine, visit.encounter, 'waiting');
      await world.writeSite(waiting, 'engines: { allow: [builtin] }');
      await untilRun(engine, visit.encounter);
      expect(ofType(waiting, 'Composition')).not.toEqual([]);
    },
    LIMIT_MS,
  );
});
