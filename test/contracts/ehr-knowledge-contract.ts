// The contract of every store of learned facts.
import { describe, expect, it } from '@jest/globals';
import type { EhrFact } from '../../src/domain/chart/ehr-capabilities.ts';
import type { EhrKnowledge } from '../../src/ports/ehr-knowledge.ts';

const FACTS: readonly EhrFact[] = [
  { name: 'conditional', value: 'failed' },
  { name: 'conditional-limit', value: 8 },
  { name: 'drafts', value: 'refused' },
  { name: 'if-match', value: 'ignored' },
  { name: 'names:Flag', value: 'lost' },
  { name: 'recording-origin', value: 'https://media.example.org' },
  { name: 'search-lag-ms', value: 250 },
  { name: 'search:Condition:identifier', value: 'refused' },
  { name: 'transaction', value: 'batch' },
  { name: 'type:RiskAssessment', value: 'refused' },
];

export function ehrKnowledgeContract(name: string, makeSubject: () => Promise<EhrKnowledge>): void {
  describe(`what ${name} knows of EHRs`, () => {
    it('has all facts about that software, with the time', async () => {
      const knowledge = await makeSubject();
      for (const fact of FACTS.toReversed()) await knowledge.learn('mercy', 'Medplum 5.0.2', fact);
      const recalled = await knowledge.recall('mercy', 'Medplum 5.0.2');
      expect(recalled).toEqual(FACTS.map((fact) => ({ ...fact, learnedAt: expect.any(Date) })));
    });

    it('is empty after an upgrade, and at another site', async () => {
      const knowledge = await makeSubject();
      await knowledge.learn('mercy', 'Medplum 5.0.2', { name: 'transaction', value: 'refused' });
      expect(await knowledge.recall('mercy', 'Medplum 5.1.0')).toEqual([]);
      expect(await knowledge.recall('clinic', 'Medplum 5.0.2')).toEqual([]);
    });

    it('has the newest value of each fact', async () => {
      const knowledge = await makeSubject();
      await knowledge.learn('mercy', '', { name: 'transaction', value: 'refused' });
      const [before] = await knowledge.recall('mercy', '');
      await knowledge.learn('mercy', '', { name: 'transaction', value: 'proven-atomic' });
      const after = await knowledge.recall('mercy', '');
      expect(after).toMatchObject([{ name: 'transaction', value: 'proven-atomic' }]);
      expect(after[0]?.learnedAt.getTime()).toBeGreaterThanOrEqual(before?.learnedAt.getTime() ?? Number.NaN);
    });

    it('is forgotten for one site, whatever software it has, and counted', async () => {
      const knowledge = await makeSubject();
      for (const fact of FACTS) await knowledge.learn('mercy', 'Medplum 5.0.2', fact);
      await knowledge.learn('mercy', 'Medplum 5.1.0', { name: 'drafts', value: 'taken' });
      await knowledge.learn('clinic', 'Medplum 5.1.0', { name: 'drafts', value: 'taken' });
      expect(await knowledge.forget('mercy')).toBe(FACTS.length + 1);
      expect(await knowledge.forget('mercy')).toBe(0);
      expect(await knowledge.recall('mercy', 'Medplum 5.0.2')).toEqual([]);
      expect(await knowledge.recall('clinic', 'Medplum 5.1.0')).toHaveLength(1);
    });
  });
}
