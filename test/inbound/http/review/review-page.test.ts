import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RESTRICTED_RESULTS } from '../../../support/restricted-results.ts';
import { knownRun, RESULTS, WRITTEN } from '../../../support/stored-runs.ts';
import { fieldsOf, makeBrowser, type Page } from './review-browser.ts';
import { type ReviewEngine, startReviewEngine } from './review-engine.ts';

let engine: ReviewEngine;
let browser: ReturnType<typeof makeBrowser>;
beforeEach(async () => {
  engine = await startReviewEngine();
  browser = makeBrowser();
});
afterEach(() => engine.stop());

const launch = (by = browser): Promise<Page> => {
  const query = new URLSearchParams({ iss: engine.smart.fhirBase, launch: 'xyz' });
  return by.visit(`${engine.baseUrl}/launch/mercy?${query}`);
};
const runPage = (id: string, by = browser) => by.visit(`${engine.baseUrl}/review/${id}`);
const send = (id: string, form: Readonly<Record<string, string>>, by = browser) =>
  by.visit(`${engine.baseUrl}/review/${id}`, { method: 'POST', form });
const trail = async () =>
  (await engine.audit.list({ scope: 'all', limit: 100 })).entries.map(({ action }) => action).toReversed();

/** A person who came in without the chart. */
async function signIn({ purpose = true, role = 'reviewer' as 'reviewer' | 'viewer' } = {}) {
  const practitioner = role === 'reviewer' ? { practitioner: 'Practitioner/9' } : {};
  const grants = [{ role, site: 'mercy', ...practitioner, origin: 'admin' } as const];
  await engine.people.create({ id: 'c'.repeat(16), name: 'Ada Roth', origin: 'local', grants });
  const order = { person: 'c'.repeat(16), kind: 'browser', way: 'password', address: '192.0.2.9' } as const;
  const { session, secretText } = await engine.openSession(order);
  if (purpose) await engine.personSessions.setPurpose(session.id, 'TREAT');
  const by = makeBrowser();
  by.jar.set('__Host-chartwright', secretText);
  return { by, form: engine.formTokenOf(session.id) };
}

describe('The page of a draft', () => {
  it('opens from the chart, with the patient, what is urgent, the marks with their reasons, and what is missing', async () => {
    const run = await engine.aDraft();
    const { status, url, text } = await launch();
    expect([status, url.pathname]).toEqual([200, `/review/${run.id}`]);
    for (const part of [
      'MRN-0042',
      '1961-04-02',
      '21 Nov 2026, 08:30 (America/Chicago)',
      'Emergency, bay 4',
      'RED: urgent',
      'See the patient now.',
      '[not found in the recording]',
      'penicillin',
      'Speaker 2, 0:03',
      'Acute coronary syndrome',
      'must not be missed',
      'Signed in as Ines Okafor',
    ]) {
      expect(text.replaceAll('</b>', '').replaceAll('<b>', '')).toContain(part);
    }
  });

  it('writes no markup that a text of the chart or a model has', async () => {
    await engine.aDraft();
    const { text } = await launch();
    expect(text).toContain('&#60;b&#62;Delgado');
    expect(text).not.toContain('<b>Delgado');
  });

  it('names no patient in its title and address, and is kept by no one', async () => {
    const run = await engine.aDraft();
    const { text, headers, url } = await launch();
    expect(/<title>(.*)<\/title>/.exec(text)?.[1]).toBe('Draft – Chartwright');
    expect(url.href).toBe(`${engine.baseUrl}/review/${run.id}`);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
  });

  it('is recorded at each view, with who, as what, why and from where', async () => {
    const run = await engine.aDraft();
    await launch();
    await runPage(run.id);
    const views = (await engine.audit.list({ scope: 'all', action: 'run.view', limit: 10 })).entries;
    expect(views).toHaveLength(2);
    expect(views[0]).toMatchObject({ run: run.id, details: { as: 'reviewer', purpose: 'TREAT' } });
    expect(views[0]?.actor).toMatch(/^person\//);
  });

  it('is the same for a draft of another visit, of another site, and for one that does not exist', async () => {
    engine.setSite('general');
    await engine.aDraft();
    const otherVisit = await engine.aDraft({ encounter: 'Encounter/124', patient: 'Patient/2', session: 's-2' });
    const otherSite = await engine.aDraft({ site: 'general', session: 's-3' });
    await launch();
    const before = (await trail()).length;
    const ids = [otherVisit.id, otherSite.id, '00000000-0000-4000-8000-000000000000', 'no-id'];
    const pages = await Promise.all(ids.map((id) => runPage(id)));
    expect(pages.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
    expect(await trail()).toHaveLength(before);
  });

  it('says what happens if the draft is not ready, or its text was deleted', async () => {
    await engine.aDraft({
      results: {},
      end: { status: 'waiting', reason: 'speech', until: new Date('2099-01-01') } as never,
    });
    expect((await launch()).text).toContain('The draft is being made');
  });

  it('says how to come in to someone who is not signed in', async () => {
    const run = await engine.aDraft();
    const { status, text } = await runPage(run.id);
    expect([status, text.includes('Open Chartwright from the chart')]).toEqual([401, true]);
    expect(text).not.toContain('MRN-0042');
  });
});

describe('A decision on the page', () => {
  it('approves the draft, and says what happens now', async () => {
    const run = await engine.aDraft();
    const { text } = await send(run.id, fieldsOf(await launch(), 'approve'));
    expect(text).toContain('Signed by Ines Okafor');
    expect(text).toContain('the engine is writing it to the chart');
    const { status, review } = await knownRun(engine.stores, run.id);
    expect([status, review?.decision, review?.reviewer]).toEqual(['queued', 'approve', 'Practitioner/7']);
    expect(text).not.toContain('<form');
  });

  it('signs with the changed sections alone', async () => {
    const run = await engine.aDraft();
    const sections = { 'section.SUBJECTIVE': 'Chest pain for two hours.\r\nNo drugs.', 'section.PLAN': 'ECG at once.' };
    const { text } = await send(run.id, { ...fieldsOf(await launch(), 'edit'), ...sections });
    expect(text).toContain('Edited and signed by Ines Okafor');
    const { check } = await engine.stores.runs.results(run.id);
    expect(check?.note.note.sections.map((section) => section.text)).toEqual([
      'Chest pain for two hours.\nNo drugs.',
      'ECG at once.',
    ]);
  });

  it('without a change of the text is not taken, and says so', async () => {
    const run = await engine.aDraft();
    const page = await launch();
    const text = '[not found in the recording]';
    expect(page.text).toContain(text);
    const answer = await send(run.id, { ...fieldsOf(page, 'edit'), 'section.PLAN': 'ECG at once.' });
    expect([answer.status, answer.text.includes('You changed nothing')]).toEqual([400, true]);
    expect((await knownRun(engine.stores, run.id)).review).toBeUndefined();
  });

  it('rejects the draft with a reason, which no log has', async () => {
    const run = await engine.aDraft();
    const form = { ...fieldsOf(await launch(), 'reject'), category: 'wrong-patient', reason: 'It is of her sister.' };
    const { text } = await send(run.id, form);
    expect(text).toContain('The draft was rejected');
    expect((await knownRun(engine.stores, run.id)).status).toBe('rejected');
    expect(JSON.stringify([engine.logged, await engine.audit.list({ scope: 'all', limit: 100 })])).not.toContain(
      'sister',
    );
  });

  it('may ask for a correction: the page says that a new draft is being written, and leads to it', async () => {
    const run = await engine.aDraft();
    const form = { ...fieldsOf(await launch(), 'correct'), category: '', reason: 'She takes no warfarin.' };
    const { status, text } = await send(run.id, form);
    expect([status, text.includes('A new draft of this visit is being written')]).toEqual([200, true]);
    const next = /<a href="([^"]+)">Open the new draft/.exec(text)?.[1] ?? '';
    const { 'read-chart': read } = await engine.stores.runs.results(next);
    expect(read?.wanted.instruction).toBe('She takes no warfarin.');
    expect((await runPage(next)).text).toContain('The draft is being made');
    expect((await knownRun(engine.stores, run.id)).review).toBeUndefined();
    // The first draft can still be signed, but no second correction is offered.
    expect([text.includes('value="approve"'), text.includes('value="correct"')]).toEqual([true, false]);
    expect(JSON.stringify([engine.logged, await engine.audit.list({ scope: 'all', limit: 100 })])).not.toContain(
      'warfarin',
    );
  });

  it('asks for a correction only in words', async () => {
    const run = await engine.aDraft();
    const answer = await send(run.id, { ...fieldsOf(await launch(), 'correct'), category: 'other', reason: '' });
    expect([answer.status, answer.text.includes('is required to correct')]).toEqual([400, true]);
    expect(await engine.stores.runs.ofEncounter('mercy', 'Encounter/123')).toHaveLength(1);
  });

  it('offers no correction where rules write the note, and takes none', async () => {
    await engine.stop();
    engine = await startReviewEngine({ engine: 'builtin:rules@2' });
    const run = await engine.aDraft();
    const page = await launch();
    expect(page.text).not.toContain('Ask for a correction');
    const form = { ...fieldsOf(page, 'approve'), decision: 'correct', reason: 'She takes no warfarin.' };
    const answer = await send(run.id, form);
    expect([answer.status, answer.text.includes('edit the draft, or reject it')]).toEqual([409, true]);
  });

  it('of the second of two people is not taken, and names the first', async () => {
    const run = await engine.aDraft();
    const first = await launch();
    const { by, form } = await signIn();
    const second = await runPage(run.id, by);
    expect(second.text).toContain('Ines Okafor has opened this draft before you');
    await send(run.id, fieldsOf(first, 'approve'));
    const late = await send(run.id, { ...fieldsOf(second, 'approve'), form, takeOver: 'true' }, by);
    expect(late.status).toBe(409);
    expect(late.text).toContain('Your decision was not taken');
    expect(late.text).toContain('Signed by Ines Okafor');
  });

  it('about an earlier revision than the one in the engine is not taken', async () => {
    const run = await engine.aDraft();
    const answer = await send(run.id, { ...fieldsOf(await launch(), 'approve'), revision: '7' });
    expect([answer.status, answer.text.includes('read it again')]).toEqual([409, true]);
  });

  it.each([
    ['by a page of another origin', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example.org' }],
    ['by another page of the same hospital', { 'sec-fetch-site': 'same-site' }],
    ['from the address line', { 'sec-fetch-site': 'none' }],
  ])('is not taken if it was sent %s', async (_, headers) => {
    const run = await engine.aDraft();
    const form = fieldsOf(await launch(), 'approve');
    const answer = await browser.visit(`${engine.baseUrl}/review/${run.id}`, { method: 'POST', form, headers });
    expect(answer.status).toBe(403);
    expect((await knownRun(engine.stores, run.id)).review).toBeUndefined();
  });

  it('of a page that was drawn for another session of this browser is not taken', async () => {
    const run = await engine.aDraft();
    const form = fieldsOf(await launch(), 'approve');
    await launch();
    const answer = await send(run.id, form);
    expect([answer.status, answer.text.includes('Another session was opened')]).toEqual([403, true]);
    expect((await knownRun(engine.stores, run.id)).review).toBeUndefined();
  });

  it('about a draft of another visit is answered as if it did not exist', async () => {
    await engine.aDraft();
    const other = await engine.aDraft({ encounter: 'Encounter/124', patient: 'Patient/2', session: 's-2' });
    const answer = await send(other.id, fieldsOf(await launch(), 'approve'));
    expect(answer.status).toBe(404);
    expect((await knownRun(engine.stores, other.id)).review).toBeUndefined();
  });

  it('may be a field too much, a body too large, or no form', async () => {
    const run = await engine.aDraft();
    const form = fieldsOf(await launch(), 'approve');
    expect((await send(run.id, { ...form, decision: 'sign' })).status).toBe(400);
    expect((await send(run.id, { ...form, reason: 'x'.repeat(1_100_000) })).status).toBe(413);
    const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
    expect((await browser.visit(`${engine.baseUrl}/review/${run.id}`, json)).status).toBe(415);
  });
});

describe('A restricted chart', () => {
  /** A person who did not come from the chart, before the closed page. */
  async function aClosedDraft() {
    const run = await engine.aDraft({ results: { ...RESTRICTED_RESULTS } });
    const { by } = await signIn();
    return { run, by, closed: await runPage(run.id, by) };
  }
  const reason = 'Called to the bedside of Mrs. Example.';
  const openings = async () => (await engine.openedCharts.list({ scope: 'all', limit: 10 })).charts;

  it('is closed: its page has a form for the reason, says what happens then, and nothing of the draft', async () => {
    const { closed } = await aClosedDraft();
    expect([closed.status, closed.text.includes('This chart is restricted')]).toEqual([403, true]);
    expect(closed.text).toContain('closes again after one hour');
    expect(closed.text).not.toContain('Cough');
    expect(await trail()).not.toContain('run.view');
  });

  it('is opened with the reason, recorded, and told to the privacy officer; then the draft is there', async () => {
    const { run, by, closed } = await aClosedDraft();
    const { status, text } = await send(run.id, { ...fieldsOf(closed, 'open'), reason }, by);
    expect([status, text.includes('Cough for three days.')]).toEqual([200, true]);
    expect(await openings()).toMatchObject([{ run: run.id, actor: `person/${'c'.repeat(16)}`, reason }]);
    const [opened] = (await engine.audit.list({ scope: 'all', action: 'chart.open', limit: 10 })).entries;
    expect(opened).toMatchObject({ run: run.id, details: { as: 'reviewer', purpose: 'BTG' } });
    expect((await engine.notices.claim(10, 1_000)).map(({ kind }) => kind)).toContain('break-glass');
    expect(JSON.stringify([engine.logged, await engine.audit.list({ scope: 'all', limit: 100 })])).not.toContain(
      'bedside',
    );
  });

  it('is closed again after an hour, also to a decision that was begun before', async () => {
    const { run, by, closed } = await aClosedDraft();
    const page = await send(run.id, { ...fieldsOf(closed, 'open'), reason }, by);
    engine.advance(3_600_001);
    const late = await send(run.id, fieldsOf(page, 'approve'), by);
    expect([late.status, late.text.includes('This chart is restricted')]).toEqual([403, true]);
    expect((await knownRun(engine.stores, run.id)).review).toBeUndefined();
  });

  it('is not opened without a reason, by a page of another origin, or by a form of another session', async () => {
    const { run, by, closed } = await aClosedDraft();
    const form = fieldsOf(closed, 'open');
    const empty = await send(run.id, { ...form, reason: '  ' }, by);
    expect([empty.status, empty.text.includes('This chart is restricted')]).toEqual([403, true]);
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example.org' };
    const address = `${engine.baseUrl}/review/${run.id}`;
    const foreign = await by.visit(address, { method: 'POST', form: { ...form, reason }, headers });
    const other = await send(run.id, { ...form, form: 'x', reason }, by);
    expect([foreign.status, other.status]).toEqual([403, 403]);
    expect(await openings()).toEqual([]);
    expect((await runPage(run.id, by)).status).toBe(403);
  });

  it('of another site does not exist, and one that is not restricted has nothing to open', async () => {
    engine.setSite('general');
    const { by, closed } = await aClosedDraft();
    const form = { ...fieldsOf(closed, 'open'), reason };
    const foreign = await engine.aDraft({ site: 'general', session: 's-3', results: { ...RESTRICTED_RESULTS } });
    expect((await send(foreign.id, form, by)).status).toBe(404);
    const usual = await engine.aDraft({ encounter: 'Encounter/5', session: 's-5', patient: 'Patient/5' });
    expect((await send(usual.id, form, by)).status).toBe(409);
    expect(await openings()).toEqual([]);
  });

  it('is open to a person who opened this visit in the EHR', async () => {
    const run = await engine.aDraft({ results: { ...RESTRICTED_RESULTS } });
    const { status, url } = await launch();
    expect([status, url.pathname]).toEqual([200, `/review/${run.id}`]);
  });
});

describe('The list of drafts', () => {
  it('of a visit with several drafts shows these alone', async () => {
    const one = await engine.aDraft();
    const other = await engine.aDraft({ session: 's-9' });
    const foreign = await engine.aDraft({ encounter: 'Encounter/124', patient: 'Patient/2', session: 's-2' });
    const { url, text } = await launch();
    expect(url.pathname).toBe('/review');
    expect(text).toContain(one.id);
    expect(text).toContain(other.id);
    expect(text).not.toContain(foreign.id);
  });

  it('of a visit without an open draft says what became of it', async () => {
    const run = await engine.aDraft({ results: RESULTS, end: WRITTEN });
    await send(run.id, fieldsOf(await launch(), 'approve'));
    const { text } = await browser.visit(`${engine.baseUrl}/review`);
    expect(text).toContain('No draft of this visit waits for you');
    expect(text).toContain(run.id);
  });

  it('of a person who came without the chart has all drafts of the own sites', async () => {
    engine.setSite('general');
    const [one, other] = [
      await engine.aDraft(),
      await engine.aDraft({ encounter: 'Encounter/5', session: 's-5', patient: 'Patient/5' }),
    ];
    const foreign = await engine.aDraft({ site: 'general', session: 's-3' });
    const { by } = await signIn();
    const { text } = await by.visit(`${engine.baseUrl}/review`);
    expect([text.includes(one.id), text.includes(other.id), text.includes(foreign.id)]).toEqual([true, true, false]);
  });

  it('asks once why patient data is read', async () => {
    const run = await engine.aDraft();
    const { by, form } = await signIn({ purpose: false });
    expect((await runPage(run.id, by)).text).toContain('Why do you read patient data?');
    const { text } = await by.visit(`${engine.baseUrl}/review/purpose`, {
      method: 'POST',
      form: { form, purpose: 'HOPERAT' },
    });
    expect(text).toContain(run.id);
    expect(await trail()).toContain('person.purpose');
    expect((await runPage(run.id, by)).text).toContain('MRN-0042');
  });

  it('is not for those who are no reviewers', async () => {
    const { by } = await signIn({ role: 'viewer' });
    const { status, text } = await by.visit(`${engine.baseUrl}/review`);
    expect([status, text.includes('You are not a reviewer')]).toEqual([403, true]);
  });
});

describe('A session in which someone writes', () => {
  it('is kept alive by the page, and by no other', async () => {
    await engine.aDraft();
    await launch();
    const alive = (site: string) =>
      browser.visit(`${engine.baseUrl}/review/alive`, { headers: { 'sec-fetch-site': site } });
    expect((await alive('same-origin')).status).toBe(204);
    expect((await alive('cross-site')).status).toBe(401);
  });
});
