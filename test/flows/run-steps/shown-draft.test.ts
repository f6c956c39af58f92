// An approval writes what the clinician saw: where the mappings, or what the EHR takes, were changed since, the draft is shown again.
import { describe, expect, it } from '@jest/globals';
import type { Composition, Task } from '@medplum/fhirtypes';
import type { DocumentMapping } from '../../../src/domain/mapping/mapping.ts';
import type { Run } from '../../../src/domain/run/run.ts';
import type { WriteSettings } from '../../../src/domain/site/site.ts';
import { type Decision, makeReviewRun } from '../../../src/flows/reviews/review-run.ts';
import { makeWatchReviews } from '../../../src/flows/reviews/watch-reviews.ts';
import { aMapping } from '../../support/chart-facts.ts';
import { aHospital, aLiveSite } from '../../support/chart-writing.ts';
import { aRunHouse, type HouseParts } from '../../support/run-house.ts';

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

function aHouse({ write = {}, ...parts }: HouseParts & { readonly write?: Partial<WriteSettings> } = {}) {
  const house = aRunHouse(parts);
  house.change({ write: { ...house.site.settings.write, ...write } }, '1');
  const mappings = house.site.mappings as Map<string, DocumentMapping>;
  mappings.set('task', TASK);
  const signal = new AbortController().signal;
  const { retractSession } = house.startEngine();
  const review = makeReviewRun({ ...house, retractSession, onDecided: () => undefined });
  const watch = makeWatchReviews({ runs: house.runs, ehrs: house.hospital.ehr.ehrs, reviewRun: review });
  const find = async (id: string): Promise<Run> => {
    const run = await house.runs.find(id);
    if (run === undefined) throw new Error('the run is gone');
    return run;
  };
  let version = 1;
  return {
    ...house,
    find,
    document: async (): Promise<Run> => {
      await house.accept();
      await house.drain();
      return house.onlyRun();
    },
    replay: async (run: Run, from: 'map' | 'write-chart' | 'publish'): Promise<Run> => {
      const { id } = await house.runs.replay({ id: run.id, from, isDry: false });
      await house.drain();
      return find(id);
    },
    say: (run: Run, decision: Decision) =>
      review(
        { id: run.id, decider: { kind: 'reviewer', reviewer: REVIEWER }, decision, revision: run.revision },
        signal,
      ),
    decide: async (run: Run, decision: Decision): Promise<Run> => {
      const decider = { kind: 'reviewer', reviewer: REVIEWER } as const;
      await review({ id: run.id, decider, decision, revision: run.revision }, signal);
      await house.drain();
      return find(run.id);
    },
    watchReviews: async (): Promise<number> => {
      const decided = await watch({ site: house.site }, signal);
      await house.drain();
      return decided;
    },
    setTask: (changes: Partial<Task>) => {
      const [task] = house.hospital.written('Task');
      house.ehr.edit(`Task/${task?.id}`, (resource) => ({ ...(resource as Task), ...changes }));
    },
    /** The site's files change; from then on this document is otherwise. */
    remap: (document?: string, change: (made: object) => object = (made) => ({ ...made, language: 'en-US' })) => {
      version += 1;
      const before = document === undefined ? undefined : mappings.get(document);
      if (document !== undefined && before !== undefined) {
        mappings.set(document, { ...before, apply: (input) => changed(before.apply(input), change) });
      }
      house.change({}, String(version));
    },
    compositions: () => house.hospital.written('Composition') as readonly Composition[],
    shown: async (run: Run) => JSON.stringify((await house.runs.results(run.id)).map?.documents),
  };
}

function changed(made: ReturnType<DocumentMapping['apply']>, change: (made: object) => object) {
  const { value } = made;
  return typeof value === 'object' && value !== null ? { ...made, value: change(value) } : made;
}

describe('a draft that is approved after its mappings have changed', () => {
  it('the run is held again with the new draft, and the next approval writes it', async () => {
    const house = aHouse({ write: HOLD });
    const draft = await house.document();
    house.remap('composition');
    const again = await house.decide(draft, APPROVE);
    expect(again).toMatchObject(CHANGED);
    expect(house.chart()).toEqual([]);
    expect(await house.shown(again)).toContain('en-US');
    expect(await house.shown(again)).not.toContain('final');
    expect(await house.decide(again, APPROVE)).toMatchObject({ status: 'written', review: { revision: 2 } });
    expect(house.compositions()).toMatchObject([{ status: 'final', language: 'en-US' }]);
    expect(house.kinds()).toEqual(['held', 'held', 'documented']);
  });

  it('a decision about the earlier draft is refused', async () => {
    const house = aHouse({ write: HOLD });
    const draft = await house.document();
    house.remap('composition');
    await house.decide(draft, APPROVE);
    await expect(house.decide(draft, APPROVE)).rejects.toMatchObject({ code: 'conflict' });
    expect(house.chart()).toEqual([]);
  });

  it('the run is held again after each change', async () => {
    const house = aHouse({ write: HOLD });
    let run = await house.document();
    for (const revision of [2, 3]) {
      house.remap('composition', (made) => ({ ...made, language: `en-${revision}` }));
      run = await house.decide(run, APPROVE);
      expect(run).toMatchObject({ ...CHANGED, revision });
    }
    expect(await house.decide(run, APPROVE)).toMatchObject({ status: 'written' });
  });

  it('the draft in the chart stays unchanged until the next decision', async () => {
    const house = aHouse();
    const draft = await house.document();
    const [before] = house.compositions();
    house.remap('composition');
    const again = await house.decide(draft, APPROVE);
    expect(again).toMatchObject({ ...CHANGED, resources: draft.resources });
    expect(house.compositions()).toEqual([before]);
    await house.decide(again, APPROVE);
    expect(house.compositions()).toMatchObject([{ id: before?.id, status: 'final', language: 'en-US' }]);
  });

  it('the draft can be rejected and is retracted from the chart', async () => {
    const house = aHouse();
    const draft = await house.document();
    house.remap('composition');
    const again = await house.decide(draft, APPROVE);
    expect(await house.decide(again, { kind: 'reject', reason: 'No.' })).toMatchObject({ reason: 'rejected' });
    expect(house.compositions()).toMatchObject([{ status: 'entered-in-error' }]);
  });

  it('the draft is written if the changed files make the same documents, in any order', async () => {
    const house = aHouse({ write: HOLD });
    const draft = await house.document();
    house.remap('composition', (made) => Object.fromEntries(Object.entries(made).toReversed()));
    expect(await house.decide(draft, APPROVE)).toMatchObject({ status: 'written' });
  });

  it('the draft is written although the documents name the new version of the files', async () => {
    const house = aHouse({ write: HOLD });
    const mappings = house.site.mappings as Map<string, DocumentMapping>;
    const provenance = mappings.get('provenance') as DocumentMapping;
    const naming: DocumentMapping['apply'] = (input) => {
      const { mapping } = input.variables['run'] as { readonly mapping: string };
      return changed(provenance.apply(input), (made) => ({ ...made, policy: [`urn:mapping:${mapping}`] }));
    };
    mappings.set('provenance', { ...provenance, apply: naming });
    const draft = await house.document();
    house.remap();
    expect(await house.decide(draft, APPROVE)).toMatchObject({ status: 'written' });
    expect(house.hospital.written('Provenance')).toMatchObject([{ policy: ['urn:mapping:2'] }]);
  });

  it('the run is held again if only the documents of an approval differ', async () => {
    const house = aHouse({ write: { ...HOLD, conditions: 'accepted' } });
    const draft = await house.document();
    expect(await house.shown(draft)).not.toContain('"Condition"');
    house.remap('condition');
    expect(await house.decide(draft, APPROVE)).toMatchObject(CHANGED);
  });

  it('the run is held again if the EHR accepts other resources by now', async () => {
    const house = aHouse({ write: HOLD });
    const draft = await house.document();
    const { software } = house.hospital.capabilities;
    await house.knowledge.learn('mercy', software, { name: 'type:Composition', value: 'refused' });
    expect(await house.decide(draft, APPROVE)).toMatchObject(CHANGED);
    expect(house.chart()).toEqual([]);
  });

  it('a draft that is held for unsupported statements is mapped with the new files', async () => {
    const house = aHouse({ settings: { check: { maxUnsupported: { drug: 0 } } } });
    house.reasoner.script.note = () => ({
      isMedical: true,
      note: { title: 'Knee', sections: [{ key: 'PLAN', title: 'Plan', text: 'Start warfarin 5 mg daily.' }] },
    });
    const draft = await house.document();
    expect(draft).toMatchObject({ status: 'held', reason: 'unsupported' });
    expect(await house.shown(draft)).toContain('warfarin');
    house.remap('composition');
    expect(await house.decide(draft, APPROVE)).toMatchObject(CHANGED);
  });
});

describe('an edit', () => {
  const edit = async (house: ReturnType<typeof aHouse>, run: Run, text: string): Promise<Decision> => {
    const key = (await house.runs.results(run.id)).check?.note.note.sections[0]?.key ?? '';
    return { kind: 'edit', sections: { [key]: text } };
  };

  it('an edited draft is compared with the note that was shown', async () => {
    const house = aHouse({ write: HOLD });
    const draft = await house.document();
    house.remap();
    expect(await house.decide(draft, await edit(house, draft, 'Rest.'))).toMatchObject({ status: 'written' });
    expect(JSON.stringify(house.compositions())).toContain('Rest.');
  });

  it('an edit survives when the draft is held again, and can be approved or edited', async () => {
    for (const more of [undefined, 'Rest, and come back.']) {
      const house = aHouse({ write: HOLD });
      const draft = await house.document();
      house.remap('composition');
      const again = await house.decide(draft, await edit(house, draft, 'Rest.'));
      expect(again).toMatchObject(CHANGED);
      expect(await house.shown(again)).toContain('Rest.');
      const decision = more === undefined ? APPROVE : await edit(house, again, more);
      expect(await house.decide(again, decision)).toMatchObject({ status: 'written' });
      expect(JSON.stringify(house.compositions())).toContain(more ?? 'Rest.');
    }
  });
});

describe('an approved run that waits for its write', () => {
  const waiting = async (house: ReturnType<typeof aHouse>): Promise<Run> => {
    const draft = await house.document();
    await house.pauses.pause('mercy', 'write', 'EHR upgrade');
    await house.say(draft, APPROVE);
    await house.work();
    expect(await house.find(draft.id)).toMatchObject({ status: 'waiting', step: 'write-chart' });
    return draft;
  };
  const resume = async (house: ReturnType<typeof aHouse>): Promise<void> => {
    await house.pauses.resume('mercy', 'write');
    await house.queue.wake({ site: 'mercy' });
    await house.drain();
  };

  it('it is written if the changed files make the same documents', async () => {
    const house = aHouse({ write: HOLD });
    const { id } = await waiting(house);
    house.remap();
    await resume(house);
    expect(await house.find(id)).toMatchObject({ status: 'written' });
    expect((await house.runs.results(id)).map?.mapping).toBe('2');
  });

  it('it is held again if the changed files make other documents', async () => {
    const house = aHouse({ write: HOLD });
    const { id } = await waiting(house);
    house.remap('document-reference');
    await resume(house);
    expect(await house.find(id)).toMatchObject(CHANGED);
    expect(house.chart()).toEqual([]);
  });

  it('it is written although its mapping has failed in between', async () => {
    const house = aHouse({ write: HOLD });
    const draft = await house.document();
    house.ehr.misbehave({ on: 'capabilities', nth: 1, does: 'throw-unavailable' });
    expect(await house.decide(draft, APPROVE)).toMatchObject({ status: 'written' });
  });
});

describe('a replay', () => {
  it('a replay has its own draft, whichever step it begins at', async () => {
    for (const from of ['map', 'write-chart'] as const) {
      const house = aHouse({ write: HOLD });
      const former = await house.document();
      const written = await house.decide(former, APPROVE);
      const draft = await house.replay(written, from);
      expect(draft).toMatchObject({ status: 'held', revision: 1 });
      expect(await house.shown(draft)).not.toContain('final');
      expect(await house.decide(draft, APPROVE)).toMatchObject({ status: 'written' });
    }
  });

  it('a replay without step map is shown before it can be approved', async () => {
    const house = aHouse();
    const draft = await house.replay(await house.document(), 'publish');
    expect(draft).toMatchObject({ status: 'written', revision: 1 });
    const again = await house.decide(draft, APPROVE);
    expect(again).toMatchObject({ status: 'held', reason: 'review' });
    expect(await house.decide(again, APPROVE)).toMatchObject({ status: 'written' });
  });
});

describe('a completed Task', () => {
  it('a Task of an earlier draft never approves a draft that was not seen', async () => {
    const house = aHouse({ write: WITH_TASK });
    const draft = await house.document();
    house.setTask({ status: 'completed' });
    house.remap('composition');
    expect(await house.watchReviews()).toBe(1);
    expect(await house.find(draft.id)).toMatchObject(CHANGED);
    for (const _ of [1, 2]) expect(await house.watchReviews()).toBe(0);
    expect(await house.find(draft.id)).toMatchObject(CHANGED);
    expect(house.compositions()).toMatchObject([{ status: 'preliminary' }]);
  });

  it.each([
    ['and read', true],
    ['and not read yet', false],
  ])('a Task from before a replay %s decides nothing about the new draft', async (_, isRead) => {
    const house = aHouse({ write: WITH_TASK });
    const draft = await house.document();
    house.setTask({ status: 'completed' });
    if (isRead) expect(await house.watchReviews()).toBe(1);
    house.remap('composition');
    const later = await house.replay(draft, 'map');
    expect(later).toMatchObject({
      status: 'written',
      left: expect.arrayContaining([expect.objectContaining({ document: 'task', why: 'touched' })]),
    });
    expect(await house.watchReviews()).toBe(0);
    expect((await house.find(later.id)).review).toBeUndefined();
  });

  it('a Task that a replay has reassigned decides about the new draft', async () => {
    const house = aHouse({ write: WITH_TASK });
    const draft = await house.document();
    house.remap('composition');
    const later = await house.replay(draft, 'map');
    house.setTask({ status: 'completed' });
    expect(await house.watchReviews()).toBe(1);
    expect(await house.find(later.id)).toMatchObject({ status: 'written', review: { decision: 'approve' } });
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
