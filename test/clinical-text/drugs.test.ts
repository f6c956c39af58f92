import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findDrugsInNote, makeFindDrugsInSpeech, ownNames } from '../../src/clinical-text/drugs/find-drugs.ts';
import { WORDS_NEAR_DRUGS } from '../../src/clinical-text/drugs/words-near-drugs.ts';
import { readTokens } from '../../src/clinical-text/tokens/tokens.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** The texts of the project whose words are searched: knowledge, cases of the evaluation, visits of the sandbox, notes of the tests. */
const TEXTS = ['knowledge', 'test/eval/sets', 'test/fixtures', 'src/sandbox/patients', 'test/domain/note/faithful'];
/** These mean the drug. */
const MEANT = new Set(['aspirinita', 'cataflan']);

const inSpeech = makeFindDrugsInSpeech(ownNames([]));

function heard(text: string): readonly string[] {
  return inSpeech(readTokens(text)).flatMap(({ ids }) => ids);
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(ROOT, folder, name))
    .filter((file) => statSync(file).isFile() && /\.(ya?ml|md|json|txt)$/.test(file));
}

describe('The drugs of a conversation', () => {
  it.each(
    'syndrome síndrome síntomas sintomas systolic program programa brilliant vesical ability carrapato estrategias sintomático aerograma aspiring pristine'.split(
      ' ',
    ),
  )('the word "%s" is no drug', (word) => {
    expect(heard(`I said ${word} today.`)).toEqual([]);
  });

  it('no word of a dictionary that is near a drug is heard as one', () => {
    expect([...WORDS_NEAR_DRUGS].filter((word) => heard(word).length > 0)).toEqual([]);
  });

  it('no word of the texts of the project is heard as a drug that it does not name', () => {
    const words = new Set(
      TEXTS.flatMap(filesOf).flatMap(
        (file) =>
          readFileSync(file, 'utf8')
            .toLowerCase()
            .match(/\p{L}{4,}/gu) ?? [],
      ),
    );
    expect(words.size).toBeGreaterThan(5000);
    const slips = [...words].filter(
      (word) => heard(word).length > 0 && findDrugsInNote(readTokens(word)).length === 0 && !MEANT.has(word),
    );
    expect(slips).toEqual([]);
  });

  it.each([
    ['lisinoprel', 'lisinopril'],
    ['atorvastatine', 'atorvastatin'],
    ['omeprasole', 'omeprazol'],
    ['amoxicilim', 'amoxicilin'],
    ['ibuprofem', 'ibuprofen'],
  ])('the slip "%s" is heard as %s', (slip, id) => {
    expect(heard(`I take ${slip}.`)).toEqual([id]);
  });

  it.each([
    'Potássio 4,2 mEq/L',
    'Sodium 138, potassium 4.1',
    'calcium 9.2 mg/dL',
    'iron was low',
    'iron deficiency anemia',
    'a calcium channel blocker',
    'El potasio está en 4,5',
    'magnésio normal',
    'glucose 140',
    'hierro bajo',
    'El hierro sérico es 40',
    'ASA II',
    'ASA 3',
  ])('the value or class in "%s" is no drug', (text) => {
    expect(heard(text)).toEqual([]);
    expect(findDrugsInNote(readTokens(text))).toEqual([]);
  });

  it.each([
    ['calcium 500 mg daily', 'calcium'],
    ['takes potassium chloride 20 mEq', 'potasium'],
    ['I take iron every day', 'ferous'],
    ['Toma hierro en ayunas', 'ferous'],
    ['magnesio 400 mg por la noche', 'magnesium'],
    ['cálcio e vitamina D', 'calcium'],
    ['ASA 324 mg', 'aspirin'],
    ['AAS 100 mg', 'aspirin'],
    ['GTN 2 puffs', 'nitroglicerin'],
  ])('what is taken in "%s" is the drug %s', (text, id) => {
    expect(findDrugsInNote(readTokens(text)).flatMap(({ ids }) => ids)).toContain(id);
  });
});
