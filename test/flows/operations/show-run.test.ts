// A run as the programs of its organization see it.
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { isRunInScope, type RunScope } from '../../../src/domain/people/role.ts';
import type { Run } from '../../../src/domain/run/run.ts';
import type { StepResults } from '../../../src/domain/run/step-results.ts';
import { makeShowRun } from '../../../src/flows/operations/show-run.ts';
import { exampleDiagnosis } from '../../../src/wire/diagnosis.ts';
import { makeFakeAudit } from '../../fakes/audit.ts';
import { aSite } from '../../support/chart-facts.ts';

const RECEIVED_AT = new Date('2026-03-02T10:00:00Z');
const ASKER = { organization: 'mercy-general', keyId: 'key-1' } as const;

function aRun(changes: Partial<Run> = {}): Run {
  return {
    id: 'run-1',
    serial: 1,
    site: 'mercy',
    organization: 'mercy-general',
    encounter: 'Encounter/e-1',
    session: 'visit-1',
    recordings: ['upload:1'],
    isUrgent: false,
    status: 'written',
    tries: 0,
    crashes: 0,
    isCancelling: false,
    trigger: { source: 'upload', receivedAt: RECEIVED_AT },
    versions: {},
    isDry: false,
    revision: 1,
    resources: [{ document: 'document-reference', reference: 'DocumentReference/9', status: 'created' }],
    left: [],
    createdAt: RECEIVED_AT,
    changedAt: RECEIVED_AT,
    ...changes,
  };
}

const DIAGNOSED: Partial<StepResults> = {
  diagnose: { diagnosis: exampleDiagnosis, model: 'm', madeAt: RECEIVED_AT.toISOString() },
};

function aTestbed({ run = aRun(), results = DIAGNOSED }: { run?: Run; results?: Partial<StepResults> } = {}) {
  const audit = makeFakeAudit();
  const asked: string[] = [];
  const runs = {
    find: async (id: string, scope: RunScope) => (id === run.id && isRunInScope(scope, run) ? run : undefined),
    results: async (id: string) => {
      asked.push(id);
      return results;
    },
  };
  return { audit, asked, runs, show: makeShowRun({ runs, audit }) };
}

const inEngine = aSite({ write: { differential: 'engine' } });

describe('a run for programs of its organization', () => {
  it('it has no differential if that is in the chart', async () => {
    const { show, audit, asked } = aTestbed();
    expect(await show({ site: aSite(), id: 'run-1', ...ASKER })).toEqual({ run: aRun() });
    expect([audit.entries, asked]).toEqual([[], []]);
  });

  it('it has the differential if the site keeps it in the engine, and the view is recorded in the audit trail', async () => {
    const { show, audit } = aTestbed();
    expect(await show({ site: inEngine, id: 'run-1', ...ASKER })).toEqual({ run: aRun(), diagnosis: exampleDiagnosis });
    expect(audit.entries).toMatchObject([{ action: 'run.view', actor: 'key/key-1', site: 'mercy', run: 'run-1' }]);
  });

  it.each(['queued', 'running', 'waiting', 'held', 'skipped', 'parked', 'retracted', 'cancelled'] as const)(
    'a run that is %s has no differential',
    async (status) => {
      const { show, audit } = aTestbed({ run: aRun({ status }) });
      expect(await show({ site: inEngine, id: 'run-1', ...ASKER })).toEqual({ run: aRun({ status }) });
      expect(audit.entries).toEqual([]);
    },
  );

  it('a run whose results were deleted has no differential', async () => {
    const { show } = aTestbed({ results: {} });
    expect(await show({ site: inEngine, id: 'run-1', ...ASKER })).toEqual({ run: aRun() });
  });

  it('it is not shown if the view cannot be recorded', async () => {
    const { runs } = aTestbed();
    const append = () => Promise.reject(new AppError('overloaded', 'The database cannot be reached'));
    const show = makeShowRun({ runs, audit: { append } });
    await expect(show({ site: inEngine, id: 'run-1', ...ASKER })).rejects.toMatchObject({ code: 'overloaded' });
  });

  it.each<[string, Partial<Run>]>([
    ['of another organization', { organization: 'other-clinic' }],
    ['of another site', { site: 'st-elsewhere' }],
    ['that does not exist', { id: 'run-2' }],
  ])('%s gets the same answer as an unknown run', async (_title, changes) => {
    const { show, audit } = aTestbed({ run: aRun(changes) });
    await expect(show({ site: inEngine, id: 'run-1', ...ASKER })).rejects.toMatchObject({
      code: 'notFound',
      message: 'There is no such run',
    });
    expect(audit.entries).toEqual([]);
  });
});
