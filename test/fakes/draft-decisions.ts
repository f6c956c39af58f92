// Decisions about drafts, in memory: of the runs that the fake stores share.

import { isInScope } from '../../src/domain/people/role.ts';
import { DRAFT_DECISIONS } from '../../src/domain/run/draft-decision.ts';
import type { DraftDecisions, FiguresQuery } from '../../src/ports/draft-decisions.ts';
import { asRun, type KeptDecision, type RunsMemory } from './runs-store.ts';

export function makeFakeDraftDecisions(memory: RunsMemory): DraftDecisions {
  return {
    signed: async ({ signers, encounter, limit, cursor }) => {
      const fitting = memory.decisions
        .filter(({ site, practitioner }) =>
          signers.some((one) => one.site === site && one.practitioner === practitioner),
        )
        .flatMap((made) => {
          const kept = memory.runs.get(made.run);
          if (kept === undefined || (encounter !== undefined && kept.encounter !== encounter)) return [];
          const { decision, revision, noteType, decidedAt, position } = made;
          if (decision !== 'approve' && decision !== 'edit') return [];
          const run = asRun(kept);
          const { id, site, patient, status, resources } = run;
          const place = { run: id, site, encounter: run.encounter, ...(patient !== undefined && { patient }) };
          return [{ position, signed: { ...place, decision, revision, noteType, decidedAt, status, resources } }];
        })
        .toSorted((one, other) => other.position - one.position)
        .filter(({ position }) => cursor === undefined || position < Number(cursor));
      const page = fitting.slice(0, limit);
      const last = page.at(-1);
      return {
        signed: page.map(({ signed }) => signed),
        ...(last && fitting.length > limit && { next: String(last.position) }),
      };
    },
    figures: async (query) => {
      const meant = memory.decisions.filter((made) => isMeant(made, query));
      const noteTypes = [...Map.groupBy(meant, ({ noteType }) => noteType)].map(([noteType, of]) => {
        const counts = DRAFT_DECISIONS.map((kind) => [kind, of.filter(({ decision }) => decision === kind).length]);
        return { noteType, decisions: Object.fromEntries(counts) };
      });
      const rows = meant
        .filter(({ decision }) => decision === 'approve' || decision === 'edit')
        .flatMap(({ noteType, changes }) => changes.map((change) => ({ noteType, ...change })));
      const sections = [...Map.groupBy(rows, ({ noteType, section }) => `${noteType} ${section}`).values()]
        .map((group) => {
          const [{ noteType, section } = { noteType: '', section: '' }] = group;
          const shares = group
            .map(({ draft, inserted, deleted }) => {
              return (inserted.characters + deleted.characters) / Math.max(draft.characters + inserted.characters, 1);
            })
            .toSorted((one, other) => one - other);
          const half = (shares.length - 1) / 2;
          const [low = 0, high = 0] = [shares[Math.floor(half)], shares[Math.ceil(half)]];
          const shareUnchanged = shares.filter((share) => share === 0).length / shares.length;
          return { noteType, section, count: group.length, medianShareChanged: (low + high) / 2, shareUnchanged };
        })
        .toSorted((one, other) => `${one.noteType} ${one.section}`.localeCompare(`${other.noteType} ${other.section}`));
      const named = meant.flatMap(({ category }) => (category === undefined ? [] : [category]));
      const categories = [...Map.groupBy(named, (category) => category)].map(([category, all]) => {
        return { category, count: all.length };
      });
      return { noteTypes, sections, categories };
    },
  };
}

function isMeant({ site, decidedAt }: KeptDecision, { scope, from, to }: FiguresQuery): boolean {
  return isInScope(scope, site) && (!from || decidedAt >= from) && (!to || decidedAt < to);
}
