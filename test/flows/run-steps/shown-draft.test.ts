// An approval writes what the clinician saw: where the mappings, or what the EHR takes, were changed since, the draft is shown again.
import { describe, expect, it } from '@jest/globals';
import type { Composition, Task } from '@medplum/fhirtypes';
import type { DocumentMapping } from '../../../src/domain/mapping/mapping.ts';
import type { Run } from '../../../src/domain/run/run.ts';
import type { WriteSettings } from '../../../src/domain/site/site.ts';
import { type Decision, makeReviewRun } from '../../../src/flows/reviews/review-run.ts';
import { makeWatchReviews } from '../../../src/flows/reviews/watch-reviews.ts';
import { aReviewersAccess, asIfOpen } from '../../support/access.ts';
import { aMapping } from '../../support/chart-facts.ts';
import { aHospital, aLiveSite } from '../../support/chart-writing.ts';
import { clinicianOf, NO_CLAIMS } from '../../support/clinician.ts';
import { aRunTestbed, type TestbedParts } from '../../support/run-testbed.ts';

const APPROVE: Decision = { kind: 'approve' };
const REVIEWER = {
  id: '0123456789abcdef',
  site: 'mercy',
  practitioner: 'Practitioner/7',
  name: 'Dr. Example',
  createdAt: new Date('2026-03-01T00:00:00Z'),
};
const HOLD = { review: 'hold' } as const;
const WITH_TASK = { note: ['composition', 'document-reference', 'task'] };
const CHANGED = {
  status: 'held',
  reason: 'review',
  revision: 2,
  message: expect.stringContaining('have changed since the draft was shown'),
};

type Names = Readonly<Record<'encounter' | 'patient' | 'review', { readonly id: string }>>;

const TASK: DocumentMapping = aMapping((variables) => {
  const { encounter, patient, review } = variables as unknown as Names;
  return {
    resourceType: 'Task',
    status: review === undefined ? 'requested' : 'completed',
    intent: 'order',
    for: { reference: `Patient/${patient.id}` },
    encounter: { reference: `Encounter/${encounter.id}` },
    owner: { reference: 'Practitioner/7' },
  };
});

function aTestbed({ write = {}, ...parts }: TestbedParts & { readonly write?: Partial<WriteSettings> } = {}) {
  const testbed = aRunTestbed(parts);
  testbed.change({ write: { ...testbed.site.settings.write, ...write } }, '1');
  const mappings = testbed.site.mappings as Map<string, DocumentMapping>;
  mappings.set('task', TASK);
  const signal = new AbortController().signal;
  const { retractSession } = testbed.startEngine();
  const review = makeReviewRun({
    ...testbed,
    drafts: NO_CLAIMS,
    requireOpenChart: asIfOpen,
    retractSession,
    onDecided: () => undefined,
  });
  const watch = makeWatchReviews({ runs: testbed.runs, ehrs: testbed.hospital.ehr.ehrs, reviewRun: review });
  const find = async (id: string): Promise<Run> => {
    const run = await testbed.runs.find(id, 'all');
    if (run === undefined) throw new Error('the run is gone');
    return run;
  };
  let version = 1;
  return {
    ...testbed,
    find,
    document: async (): Promise<Run> => {
      await testbed.accept();
      await testbed.drain();
      return testbed.onlyRun();
    },
    replay: async (run: Run, from: 'map' | 'write-chart' | 'publish'): Promise<Run> => {
      const { id } = await testbed.runs.replay({ id: run.id, from, isDry: false });
      await testbed.drain();
      return find(id);
    },
    say: (run: Run, decision: Decision) =>
      review(
        {
          access: aReviewersAccess(REVIEWER),
          id: run.id,
          decider: clinicianOf(REVIEWER),
          decision,
          revision: run.revision,
        },
        signal,
      ),
    decide: async (run: Run, decision: Decision): Promise<Run> => {
      const decider = clinicianOf(REVIEWER);
      await review(
        { access: aReviewersAccess(REVIEWER), id: run.id, decider, decision, revision: run.revision },
        signal,
      );
      await testbed.drain();
      return find(run.id);
    },
    watchReviews: async (): Promise<number> => {
      const decided = await watch({ site: testbed.site }, signal);
      await testbed.drain();
      return decided;
    },
    setTask: (changes: Partial<Task>) => {
      const [task] = testbed.hospital.written('Task');
      testbed.ehr.edit(`Task/${task?.id}`, (resource) => ({ ...(resource as Task), ...changes }));
    },
    /** The site's files change; from then on this document is otherwise. */
    remap: (document?: string, change: (made: object) => object = (made) => ({ ...made, language: 'en-US' })) => {
      version += 1;
      const before = document === undefined ? undefined : mappings.get(document);
      if (document !== undefined && before !== undefined) {
        mappings.set(document, { ...before, apply: (input) => changed(before.apply(input), change) });
      }
      testbed.change({}, String(version));
    },
    compositions: () => testbed.hospital.written('Composition') as readonly Composition[],
    shown: async (run: Run) => JSON.stringify((await testbed.runs.results(run.id)).map?.documents),
  };
}

function changed(made: ReturnType<DocumentMapping['apply']>, change: (made: object) => object) {
  const { value } = made;
  return typeof value === 'object' && value !== null ? { ...made, value: change(value) } : made;
}

describe('a draft that is approved after its mappings have changed', () => {
  it('the run is held again with the new draft, and the next approval writes it', async () => {
    const testbed = aTestbed({ write: HOLD });
    const draft = await testbed.document();
    testbed.remap('composition');
    const again = await testbed.decide(draft, APPROVE);
    expect(again).toMatchObject(CHANGED);
    expect(testbed.chart()).toEqual([]);
    expect(await testbed.shown(again)).toContain('en-US');
    expect(await testbed.shown(again)).not.toContain('final');
    expect(await testbed.decide(again, APPROVE)).toMatchObject({ status: 'written', review: { revision: 2 } });
    expect(testbed.compositions()).toMatchObject([{ status: 'final', language: 'en-US' }]);
    expect(testbed.kinds()).toEqual(['held', 'held', 'documented']);
  });

  it('a decision about the earlier draft is refused', async () => {
    const testbed = aTestbed({ write: HOLD });
    const draft = await testbed.document();
    testbed.remap('composition');
    await testbed.decide(draft, APPROVE);
    await expect(testbed.decide(draft, APPROVE)).rejects.toMatchObject({ code: 'conflict' });
    expect(testbed.chart()).toEqual([]);
  });

  it('the run is held again after each change', async () => {
    const testbed = aTestbed({ write: HOLD });
    let run = await testbed.document();
    for (const revision of [2, 3]) {
      testbed.remap('composition', (made) => ({ ...made, language: `en-${revision}` }));
      run = await testbed.decide(run, APPROVE);
      expect(run).toMatchObject({ ...CHANGED, revision });
    }
    expect(await testbed.decide(run, APPROVE)).toMatchObject({ status: 'written' });
  });

  it('the draft in the chart stays unchanged until the next decision', async () => {
    const testbed = aTestbed();
    const draft = await testbed.document();
    const [before] = testbed.compositions();
    testbed.remap('composition');
    const again = await testbed.decide(draft, APPROVE);
    expect(again).toMatchObject({ ...CHANGED, resources: draft.resources });
    expect(testbed.compositions()).toEqual([before]);
    await testbed.decide(again, APPROVE);
    expect(testbed.compositions()).toMatchObject([{ id: before?.id, status: 'final', language: 'en-US' }]);
  });

  it('the draft can be rejected and is retracted from the chart', async () => {
    const testbed = aTestbed();
    const draft = await testbed.document();
    testbed.remap('composition');
    const again = await testbed.decide(draft, APPROVE);
    expect(await testbed.decide(again, { kind: 'reject', reason: 'No.' })).toMatchObject({ status: 'rejected' });
    expect(testbed.compositions()).toMatchObject([{ status: 'entered-in-error' }]);
  });

  it('the draft is written if the changed files make the same documents, in any order', async () => {
    const testbed = aTestbed({ write: HOLD });
    const draft = await testbed.document();
    testbed.remap('composition', (made) => Object.fromEntries(Object.entries(made).toReversed()));
    expect(await testbed.decide(draft, APPROVE)).toMatchObject({ status: 'written' });
  });

  it('the draft is written although the documents name the new version of the files', async () => {
    const testbed = aTestbed({ write: HOLD });
    const mappings = testbed.site.mappings as Map<string, DocumentMapping>;
    const provenance = mappings.get('provenance') as DocumentMapping;
    const naming: DocumentMapping['apply'] = (input) => {
      const { mapping } = input.variables['run'] as { readonly mapping: string };
      return changed(provenance.apply(input), (made) => ({ ...made, policy: [`urn:mapping:${mapping}`] }));
    };
    mappings.set('provenance', { ...provenance, apply: naming });
    const draft = await testbed.document();
    testbed.remap();
    expect(await testbed.decide(draft, APPROVE)).toMatchObject({ status: 'written' });
    expect(testbed.hospital.written('Provenance')).toMatchObject([{ policy: ['urn:mapping:2'] }]);
  });

  it('the run is held again if only the documents of an approval differ', async () => {
    const testbed = aTestbed({ write: { ...HOLD, conditions: 'accepted' } });
    const draft = await testbed.document();
    expect(await testbed.shown(draft)).not.toContain('"Condition"');
    testbed.remap('condition');
    expect(await testbed.decide(draft, APPROVE)).toMatchObject(CHANGED);
  });

  it('the run is held again if the EHR accepts other resources by now', async () => {
    const testbed = aTestbed({ write: HOLD });
    const draft = await testbed.document();
    const { software } = testbed.hospital.capabilities;
    await testbed.knowledge.learn('mercy', software, { name: 'type:Composition', value: 'refused' });
    expect(await testbed.decide(draft, APPROVE)).toMatchObject(CHANGED);
    expect(testbed.chart()).toEqual([]);
  });

  it('a draft that is held for unsupported statements is mapped with the new files', async () => {
    const testbed = aTestbed({ settings: { check: { maxUnsupported: { drug: 0 } } } });
    testbed.reasoner.script.note = () => ({
      isMedical: true,
      note: { title: 'Knee', sections: [{ key: 'PLAN', title: 'Plan', text: 'Start warfarin 5 mg daily.' }] },
    });
    const draft = await testbed.document();
    expect(draft).toMatchObject({ status: 'held', reason: 'unsupported' });
    expect(await testbed.shown(draft)).toContain('warfarin');
    testbed.remap('composition');
    expect(await testbed.decide(draft, APPROVE)).toMatchObject(CHANGED);
  });
});

describe('an edit', () => {
  const edit = async (testbed: ReturnType<typeof aTestbed>, run: Run, text: string): Promise<Decision> => {
    const key = (await testbed.runs.results(run.id)).check?.note.note.sections[0]?.key ?? '';
    return { kind: 'edit', sections: { [key]: text } };
  };

  it('an edited draft is compared with the note that was shown', async () => {
    const testbed = aTestbed({ write: HOLD });
    const draft = await testbed.document();
    testbed.remap();
    expect(await testbed.decide(draft, await edit(testbed, draft, 'Rest.'))).toMatchObject({ status: 'written' });
    expect(JSON.stringify(testbed.compositions())).toContain('Rest.');
  });

  it('an edit survives when the draft is held again, and can be approved or edited', async () => {
    for (const more of [undefined, 'Rest, and come back.']) {
      const testbed = aTestbed({ write: HOLD });
      const draft = await testbed.document();
      testbed.remap('composition');
      const again = await testbed.decide(draft, await edit(testbed, draft, 'Rest.'));
      expect(again).toMatchObject(CHANGED);
      expect(await testbed.shown(again)).toContain('Rest.');
      const decision = more === undefined ? APPROVE : await edit(testbed, again, more);
      expect(await testbed.decide(again, decision)).toMatchObject({ status: 'written' });
      expect(JSON.stringify(testbed.compositions())).toContain(more ?? 'Rest.');
    }
  });
});

describe('an approved run that waits for its write', () => {
  const waiting = async (testbed: ReturnType<typeof aTestbed>): Promise<Run> => {
    const draft = await testbed.document();
    await testbed.pauses.pause('mercy', 'write', 'EHR upgrade');
    await testbed.say(draft, APPROVE);
    await testbed.work();
    expect(await testbed.find(draft.id)).toMatchObject({ status: 'waiting', step: 'write-chart' });
    return draft;
  };
  const resume = async (testbed: ReturnType<typeof aTestbed>): Promise<void> => {
    await testbed.pauses.resume('mercy', 'write');
    await testbed.queue.wake({ site: 'mercy' });
    await testbed.drain();
  };

  it('it is written if the changed files make the same documents', async () => {
    const testbed = aTestbed({ write: HOLD });
    const { id } = await waiting(testbed);
    testbed.remap();
    await resume(testbed);
    expect(await testbed.find(id)).toMatchObject({ status: 'written' });
    expect((await testbed.runs.results(id)).map?.mapping).toBe('2');
  });

  it('it is held again if the changed files make other documents', async () => {
    const testbed = aTestbed({ write: HOLD });
    const { id } = await waiting(testbed);
    testbed.remap('document-reference');
    await resume(testbed);
    expect(await testbed.find(id)).toMatchObject(CHANGED);
    expect(testbed.chart()).toEqual([]);
  });

  it('it is written although its mapping has failed in between', async () => {
    const testbed = aTestbed({ write: HOLD });
    const draft = await testbed.document();
    testbed.ehr.misbehave({ on: 'capabilities', nth: 1, does: 'throw-unavailable' });
    expect(await testbed.decide(draft, APPROVE)).toMatchObject({ status: 'written' });
  });
});

describe('a replay', () => {
  it('a replay has its own draft, whichever step it begins at', async () => {
    for (const from of ['map', 'write-chart'] as const) {
      const testbed = aTestbed({ write: HOLD });
      const former = await testbed.document();
      const written = await testbed.decide(former, APPROVE);
      const draft = await testbed.replay(written, from);
      expect(draft).toMatchObject({ status: 'held', revision: 1 });
      expect(await testbed.shown(draft)).not.toContain('final');
      expect(await testbed.decide(draft, APPROVE)).toMatchObject({ status: 'written' });
    }
  });

  it('a replay without step map is shown before it can be approved', async () => {
    const testbed = aTestbed();
    const draft = await testbed.replay(await testbed.document(), 'publish');
    expect(draft).toMatchObject({ status: 'written', revision: 1 });
    const again = await testbed.decide(draft, APPROVE);
    expect(again).toMatchObject({ status: 'held', reason: 'review' });
    expect(await testbed.decide(again, APPROVE)).toMatchObject({ status: 'written' });
  });
});

describe('a completed Task', () => {
  it('a Task of an earlier draft never approves a draft that was not seen', async () => {
    const testbed = aTestbed({ write: WITH_TASK });
    const draft = await testbed.document();
    testbed.setTask({ status: 'completed' });
    testbed.remap('composition');
    expect(await testbed.watchReviews()).toBe(1);
    expect(await testbed.find(draft.id)).toMatchObject(CHANGED);
    for (const _ of [1, 2]) expect(await testbed.watchReviews()).toBe(0);
    expect(await testbed.find(draft.id)).toMatchObject(CHANGED);
    expect(testbed.compositions()).toMatchObject([{ status: 'preliminary' }]);
  });

  it.each([
    ['and read', true],
    ['and not read yet', false],
  ])('a Task from before a replay %s decides nothing about the new draft', async (_, isRead) => {
    const testbed = aTestbed({ write: WITH_TASK });
    const draft = await testbed.document();
    testbed.setTask({ status: 'completed' });
    if (isRead) expect(await testbed.watchReviews()).toBe(1);
    testbed.remap('composition');
    const later = await testbed.replay(draft, 'map');
    expect(later).toMatchObject({
      status: 'written',
      left: expect.arrayContaining([expect.objectContaining({ document: 'task', why: 'touched' })]),
    });
    expect(await testbed.watchReviews()).toBe(0);
    expect((await testbed.find(later.id)).review).toBeUndefined();
  });

  it('a Task that a replay has reassigned decides about the new draft', async () => {
    const testbed = aTestbed({ write: WITH_TASK });
    const draft = await testbed.document();
    testbed.remap('composition');
    const later = await testbed.replay(draft, 'map');
    testbed.setTask({ status: 'completed' });
    expect(await testbed.watchReviews()).toBe(1);
    expect(await testbed.find(later.id)).toMatchObject({ status: 'written', review: { decision: 'approve' } });
  });

  it('a Task that is completed before the run is stored as written decides about it', async () => {
    const site = aLiveSite({ mappings: { task: TASK }, write: WITH_TASK });
    const hospital = aHospital({ site });
    await hospital.write();
    const [task] = hospital.written('Task');
    hospital.ehr.edit(`Task/${task?.id}`, (resource) => ({ ...(resource as Task), status: 'completed' }));
    const after = await hospital.write();
    expect(after).toMatchObject({
      resources: expect.arrayContaining([expect.objectContaining({ document: 'task', status: 'unchanged' })]),
    });
  });
});
