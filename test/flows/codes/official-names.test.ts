// The official names that a diagnosis is judged with.
import { describe, expect, it } from '@jest/globals';
import { Meter } from '../../../src/domain/access/usage.ts';
import { makeFindNames } from '../../../src/flows/codes/official-names.ts';
import { makeDiagnose } from '../../../src/flows/service/diagnose.ts';
import { makeFakeReasoner } from '../../fakes/reasoner.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';

const NAMES = new Map([['I21.9', ['Migraña, no especificada']]]);

describe('The official names of codes', () => {
  it('are those of the imported lists', async () => {
    const asked: (readonly string[])[] = [];
    const displays = async (codes: readonly string[]) => {
      asked.push(codes);
      return NAMES;
    };
    expect(await makeFindNames(() => ({ displays }))(['I21.9'])).toBe(NAMES);
    expect(await makeFindNames(() => ({ displays }))([])).toEqual(new Map());
    expect(asked).toEqual([['I21.9']]);
  });

  it('are none before the database is open and while it cannot be read, so that no diagnosis fails', async () => {
    expect(await makeFindNames(() => undefined)(['I21.9'])).toEqual(new Map());
    const displays = () => Promise.reject(new Error('The database cannot be reached'));
    expect(await makeFindNames(() => ({ displays }))(['I21.9'])).toEqual(new Map());
  });

  it.each([
    [NAMES, 'I21.9'],
    [new Map(), ''],
  ])('decide with %j whether a code stays in a diagnosis', async (names, code) => {
    const reasoner = makeFakeReasoner();
    const usual = reasoner.script.diagnosis;
    reasoner.script.diagnosis = (request) => {
      const answer = usual(request);
      const diseases = answer.diagnosis.diseases.map((disease) => ({
        ...disease,
        name: 'Migraine',
        icd10_code: 'I21.9',
      }));
      return { ...answer, diagnosis: { diseases } };
    };
    const diagnose = makeDiagnose({ reasoner, runtime: makeFakeRuntime(), findNames: async () => names });
    const request = { clinicalHistory: 'A made-up history.', attachments: [], language: 'en' } as const;
    const { diagnosis } = await diagnose({ request, meter: new Meter() }, new AbortController().signal);
    expect(diagnosis.diseases.map(({ icd10_code }) => icd10_code)).toEqual([code]);
  });
});
