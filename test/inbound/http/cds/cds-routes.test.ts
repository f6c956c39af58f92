import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { PatientDraft } from '../../../../src/domain/cds/draft-card.ts';
import { aCall, aKey, type CdsDoor, DISCHARGE, FHIR, openCdsDoor, PATIENT_VIEW, PUBLIC_URL } from './cds-door.ts';

let door: CdsDoor | undefined;
afterEach(() => door?.close());

async function opened(...options: Parameters<typeof openCdsDoor>): Promise<CdsDoor> {
  door = await openCdsDoor(...options);
  return door;
}

const WAITING: PatientDraft = { run: 'run-1', encounter: 'Encounter/2', isInChart: true };
const RED: PatientDraft = { ...WAITING, facts: { triage: 'RED', marks: [], missing: 0 } };
const LAUNCH = {
  clientId: 'c',
  client: { kind: 'secret', clientSecret: 's' },
  issuers: [],
  scopes: [],
  newReviewers: false,
  frameOrigins: [],
  idTokenAlgorithms: [],
} as const;

describe('GET /cds-services', () => {
  it('lists the services without a token, by the standard', async () => {
    const { status, json } = await (await opened()).ask('/cds-services');
    expect(status).toBe(200);
    expect(json).toEqual({
      services: [
        { id: PATIENT_VIEW, hook: 'patient-view', title: expect.any(String), description: expect.any(String) },
        { id: DISCHARGE, hook: 'encounter-discharge', title: expect.any(String), description: expect.any(String) },
      ],
    });
  });

  it('takes no other method', async () => {
    const { status, headers } = await (await opened()).ask('/cds-services', { body: {} });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('POST /cds-services/{id}', () => {
  it('answers with a card for each draft that waits, RED as critical, with a link that launches the review', async () => {
    const { view, queries } = await opened({ drafts: [RED, WAITING], settings: { launch: LAUNCH } });
    const { status, headers, json } = await view();
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(json['cards']).toMatchObject([
      {
        indicator: 'critical',
        source: { label: 'Chartwright', url: PUBLIC_URL },
        links: [{ type: 'smart', url: `${PUBLIC_URL}/launch/mercy`, appContext: 'Encounter/2' }],
      },
      { indicator: 'info', summary: 'AI draft of this visit waits for a review' },
    ]);
    expect(queries).toMatchObject([{ site: 'mercy', patient: 'Patient/p-1', withWritten: true }]);
    expect(queries[0]).not.toHaveProperty('encounter');
  });

  it('answers with no card if nothing waits', async () => {
    expect((await (await opened()).view()).json).toEqual({ cards: [] });
  });

  it('asks at a discharge for the drafts of this visit only', async () => {
    const { ask, jwt, queries } = await opened({ drafts: [WAITING] });
    const token = await jwt({ aud: `${PUBLIC_URL}/cds-services/${DISCHARGE}` });
    const { status } = await ask(`/cds-services/${DISCHARGE}`, {
      token,
      body: { ...aCall(), hook: 'encounter-discharge' },
    });
    expect([status, queries[0]?.encounter]).toEqual([200, 'Encounter/2']);
  });

  it('tells a reviewer of the site that the review is theirs, unless the account is disabled', async () => {
    const { view, people } = await opened({ drafts: [WAITING] });
    const summary = async () => ((await view()).json['cards'] as { summary: string }[])[0]?.summary;
    const grants = [{ role: 'reviewer', site: 'mercy', practitioner: 'Practitioner/7', origin: 'admin' }] as const;
    await people.create({ id: '0123456789abcdef', name: 'Ana', origin: 'local', grants });
    expect(await summary()).toContain('your review');
    await people.disable('0123456789abcdef');
    expect(await summary()).toContain('a review');
  });

  it.each(['Patient/p-1', 'RelatedPerson/4'])('shows no draft to %s', async (userId) => {
    const { view, queries } = await opened({ drafts: [RED] });
    expect((await view({ context: { userId, patientId: 'p-1' } })).json).toEqual({ cards: [] });
    expect(queries).toEqual([]);
  });

  it('takes prefetch with null, an OperationOutcome and unknown keys, and members that are not of the standard', async () => {
    const { view } = await opened({ drafts: [WAITING] });
    const prefetch = {
      patient: { resourceType: 'Patient', id: 'p-1' },
      a: null,
      b: { resourceType: 'OperationOutcome' },
    };
    const { status } = await view({
      prefetch,
      extension: { 'com.example': 1 },
      fhirAuthorization: { access_token: 'x' },
    });
    expect(status).toBe(200);
  });

  it.each([
    ['another hook', { hook: 'order-sign' }],
    ['no hookInstance', { hookInstance: undefined }],
    ['no patient', { context: { userId: 'Practitioner/7' } }],
    ['a patient with a type', { context: { userId: 'Practitioner/7', patientId: 'Patient/p-1' } }],
    ['a user without a type', { context: { userId: '7', patientId: 'p-1' } }],
    ['the prefetch of another patient', { prefetch: { patient: { resourceType: 'Patient', id: 'p-2' } } }],
  ])('answers 400 to a call with %s', async (_, changes) => {
    const { view, queries } = await opened({ drafts: [WAITING] });
    const { status } = await view(changes);
    expect([status, queries]).toEqual([400, []]);
  });

  it('answers 412 if the charts are of another FHIR server, and 404 for an unknown service', async () => {
    const { view, ask, jwt, queries } = await opened({ drafts: [WAITING] });
    expect((await view({ fhirServer: 'https://other.example.org/fhir' })).status).toBe(412);
    expect((await view({ fhirServer: `${FHIR}/` })).status).toBe(200);
    expect((await ask('/cds-services/constructor', { token: await jwt(), body: aCall() })).status).toBe(404);
    expect(queries).toHaveLength(1);
  });

  it('finds the site of an EHR with several sites by the FHIR server', async () => {
    const { view, queries } = await opened({ sisters: { hope: 'https://ehr.example.org/hope/R4' } });
    expect((await view({ fhirServer: 'https://ehr.example.org/hope/R4' })).status).toBe(200);
    expect(queries[0]?.site).toBe('hope');
    expect((await view({ fhirServer: undefined })).status).toBe(412);
  });

  it('accepts keys of each allowed kind, and a new key after a rotation', async () => {
    const { view, jwt, published } = await opened();
    const keys = (['ES384', 'RS384', 'ES256', 'RS256'] as const).map(aKey);
    published.keys = keys.map(({ jwk }) => jwk);
    for (const key of keys) expect((await view({}, await jwt({}, { key }))).status).toBe(200);
  });

  it('answers 503, and not 401, while the keys of the EHR cannot be fetched', async () => {
    const { view, published } = await opened();
    published.isDown = true;
    expect((await view()).status).toBe(503);
  });
});

describe('POST /cds-services/{id}/feedback', () => {
  const path = `/cds-services/${PATIENT_VIEW}/feedback`;
  const outcomeTimestamp = '2026-11-28T10:00:00Z';
  const feedback = (changes: object) => ({ card: randomUUID(), outcome: 'overridden', outcomeTimestamp, ...changes });

  it.each([path, `/cds-services/${PATIENT_VIEW}`])('is counted without words; the token may be for %s', async (aud) => {
    const { ask, jwt, cdsFeedback, metrics } = await opened();
    const reason = { code: 'later', system: 'urn:chartwright:cds-override' };
    const body = {
      feedback: [
        feedback({ outcome: 'accepted', acceptedSuggestions: [{ id: randomUUID() }] }),
        feedback({ overrideReason: { reason, userComment: 'The canary sings.' } }),
        feedback({ overrideReason: { reason: { code: 'The canary sings.' } } }),
      ],
    };
    const { status } = await ask(path, { token: await jwt({ aud: `${PUBLIC_URL}${aud}` }), body });
    expect(status).toBe(200);
    const counts = await cdsFeedback.counts('mercy');
    expect(counts).toEqual([
      { service: PATIENT_VIEW, outcome: 'accepted', count: 1 },
      { service: PATIENT_VIEW, outcome: 'overridden', reason: 'later', count: 1 },
      { service: PATIENT_VIEW, outcome: 'overridden', reason: 'other', count: 1 },
    ]);
    expect(JSON.stringify(counts)).not.toContain('canary');
    expect((await metrics.text()).body).toContain(
      `chartwright_cds_feedback_total{service="${PATIENT_VIEW}",outcome="overridden"} 2`,
    );
  });

  it.each([
    ['another outcome', { outcome: 'ignored' }],
    ['a card that is no UUID', { card: 'card-1' }],
    ['a time that is none', { outcomeTimestamp: 'yesterday' }],
  ])('is refused with %s', async (_, changes) => {
    const { ask, jwt, cdsFeedback } = await opened();
    const token = await jwt({ aud: `${PUBLIC_URL}${path}` });
    expect((await ask(path, { token, body: { feedback: [feedback(changes)] } })).status).toBe(400);
    expect(await cdsFeedback.counts('mercy')).toEqual([]);
  });
});
