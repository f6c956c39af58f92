import { describe, expect, it } from '@jest/globals';
import { makeRetractSession } from '../../../src/flows/chart-writing/retract-session.ts';
import { makeRecallDocuments } from '../../../src/flows/operations/recall-documents.ts';
import type { WrittenQuery } from '../../../src/ports/ledger.ts';
import { isRetired } from '../../support/chart-invariants.ts';
import { aHospital, aResult, type Hospital } from '../../support/chart-writing.ts';

const signal = new AbortController().signal;
const RUN = { id: 'recall-1', time: '2026-03-05T12:00:00Z' };

function recallAt(hospital: Hospital, { isSiteThere = true } = {}) {
  const { site, parts } = hospital;
  const sites = new Map(isSiteThere ? [[site.name, site]] : []);
  const { find, recall } = makeRecallDocuments({
    ledger: hospital.ledger,
    sites: { current: () => ({ sites, problems: [], stale: new Set(), unavailable: new Set() }) },
    retractSession: makeRetractSession(parts),
  });
  const order = (query: WrittenQuery) => ({ query, reason: 'This model made mistakes.', run: RUN });
  return { find, recall: (query: WrittenQuery) => recall(order(query), signal) };
}

const liveConditions = (hospital: Hospital) => hospital.written('Condition').filter((one) => !isRetired(one));

describe('a recall of documents', () => {
  it('it retracts the documents of a period and leaves the others', async () => {
    const hospital = aHospital();
    await hospital.write(aResult({ time: '2026-03-02T10:00:00Z' }));
    await hospital.write(aResult({ run: 'run-2', session: 'session-2', time: '2026-03-04T10:00:00Z' }));
    const before = liveConditions(hospital).length;
    const recalled = await recallAt(hospital).recall({ scope: 'all', from: new Date('2026-03-03T00:00:00Z') });
    expect(recalled.map(({ place, outcome }) => [place.session, outcome.status])).toEqual([['session-2', 'retracted']]);
    expect(liveConditions(hospital)).toHaveLength(before / 2);
  });

  it('a search shows the documents without retracting them', async () => {
    const hospital = aHospital();
    await hospital.write();
    const sent = hospital.ehr.sent.length;
    const places = await recallAt(hospital).find({ scope: 'all', to: new Date('2027-01-01T00:00:00Z') });
    expect(places).toHaveLength(1);
    expect(hospital.ehr.sent).toHaveLength(sent);
  });

  it('a recall of another model retracts nothing', async () => {
    const hospital = aHospital();
    await hospital.write();
    expect(await recallAt(hospital).recall({ scope: 'all', model: 'another-model@1' })).toEqual([]);
  });

  it('an empty query is refused, since it would retract everything', async () => {
    const { recall } = recallAt(aHospital());
    await expect(recall({ scope: 'all', site: 'mercy' })).rejects.toMatchObject({ code: 'invalidRequest' });
  });

  it('it reports documents that could not be retracted, and continues', async () => {
    const hospital = aHospital();
    await hospital.write();
    const query = { scope: 'all', to: new Date('2027-01-01T00:00:00Z') } as const;
    const [gone] = await recallAt(hospital, { isSiteThere: false }).recall(query);
    expect(gone?.outcome).toMatchObject({ status: 'failed', code: 'notFound' });
    hospital.ehr.misbehave({ on: 'read', does: 'throw-unavailable' });
    const [down] = await recallAt(hospital).recall(query);
    expect(down?.outcome).toMatchObject({ status: 'failed', code: 'ehrUnavailable' });
    hospital.ehr.behave();
    const [mended] = await recallAt(hospital).recall(query);
    expect(mended?.outcome.status).toBe('retracted');
  });
});
