// The review in the languages of the product: each has every text, and a page in one has no sentence of another.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TEXTS } from '../../../../src/inbound/http/review/review-texts.ts';
import { RESTRICTED_RESULTS } from '../../../support/restricted-results.ts';
import { fieldsOf, makeBrowser } from './review-browser.ts';
import { type ReviewEngine, startReviewEngine } from './review-engine.ts';

/** Each text with the way to it; those with values in them are filled in. */
function textsOf(value: unknown, way = ''): ReadonlyMap<string, string> {
  if (typeof value === 'string') return new Map([[way, value]]);
  if (typeof value === 'function') {
    const named = { name: 'N', time: 'T', isEdited: true, toString: () => 'N' };
    const filled = [value(1), value(2), value(named), value({ ...named, isEdited: false })];
    return new Map(filled.map((text, index) => [`${way}(${index})`, String(text)]));
  }
  return new Map(Object.entries(value ?? {}).flatMap(([name, inner]) => [...textsOf(inner, `${way}.${name}`)]));
}

const ENGLISH = textsOf(TEXTS.en);
const SENTENCES = [...ENGLISH].filter(([way, text]) => !way.endsWith(')') && text.split(' ').length > 2);
const ENGLISH_WORD =
  /\b(the|is|was|were|are|of|and|you|your|with|this|that|not|from|there|has|draft|chart|note|by|to|in|it)\b/i;

describe.each(['es', 'pt'] as const)('The words of the review in %s', (language) => {
  const texts = textsOf(TEXTS[language]);

  it('are all there', () => {
    expect([...texts.keys()].toSorted()).toEqual([...ENGLISH.keys()].toSorted());
    const empty = [...texts].filter(([way, text]) => text.trim() === '' && ENGLISH.get(way) !== '');
    expect(empty).toEqual([]);
  });

  it('have no word of English', () => {
    expect([...texts].filter(([, text]) => ENGLISH_WORD.test(text))).toEqual([]);
  });
});

it('English words are found where they are', () => {
  const found = SENTENCES.filter(([, text]) => ENGLISH_WORD.test(text));
  expect(found.length / SENTENCES.length).toBeGreaterThan(0.8);
});

describe('A page of the review', () => {
  let engine: ReviewEngine;
  beforeEach(async () => {
    engine = await startReviewEngine();
  });
  afterEach(() => engine.stop());

  const isIn = (text: string, language: string) => {
    expect(text).toContain(`<html lang="${language}">`);
    // The note is in English, and so are the marks in it.
    const around = text.replace(/\[[^\]]*\]/g, '');
    expect(SENTENCES.filter(([, english]) => around.includes(english))).toEqual([]);
  };

  it.each([
    ['es', 'es-MX,es;q=0.9,en;q=0.5', 'Aprobar y firmar', 'Firmado por Ines Okafor'],
    ['pt', 'pt-BR,pt;q=0.9', 'Aprovar e assinar', 'Assinado por Ines Okafor'],
  ])(
    'is in %s for a browser that prefers it, before and after the decision',
    async (language, accepted, approve, signed) => {
      const headers = { 'accept-language': accepted };
      const browser = makeBrowser();
      const run = await engine.aDraft({ session: `s-${language}` });
      const query = new URLSearchParams({ iss: engine.smart.fhirBase, launch: 'xyz' });
      await browser.visit(`${engine.baseUrl}/launch/mercy?${query}`, { headers });
      const address = `${engine.baseUrl}/review/${run.id}`;
      const page = await browser.visit(address, { headers });
      isIn(page.text, language);
      expect(page.text).toContain(approve);
      await browser.visit(address, { method: 'POST', form: fieldsOf(page, 'approve'), headers });
      const after = await browser.visit(address, { headers });
      isIn(after.text, language);
      expect(after.text).toContain(signed);
      isIn((await browser.visit(`${engine.baseUrl}/review`, { headers })).text, language);
    },
  );

  it('that asks for something is in the language, too: purpose, restricted chart, no session', async () => {
    const headers = { 'accept-language': 'es' };
    const grants = [{ role: 'reviewer', site: 'mercy', practitioner: 'Practitioner/9', origin: 'admin' } as const];
    await engine.people.create({ id: 'c'.repeat(16), name: 'Ada Roth', origin: 'local', grants });
    const order = { person: 'c'.repeat(16), kind: 'browser', way: 'password', address: '192.0.2.9' } as const;
    const { session, secretText } = await engine.openSession(order);
    const browser = makeBrowser();
    const run = await engine.aDraft({ encounter: 'Encounter/9', session: 's-9', results: { ...RESTRICTED_RESULTS } });
    const read = () => browser.visit(`${engine.baseUrl}/review/${run.id}`, { headers });
    const stranger = (await read()).text;
    browser.jar.set('__Host-chartwright', secretText);
    const purpose = (await read()).text;
    await engine.personSessions.setPurpose(session.id, 'TREAT');
    const closed = (await read()).text;
    for (const text of [stranger, purpose, closed]) isIn(text, 'es');
    const titles = [TEXTS.es.notSignedIn, TEXTS.es.whyRead, TEXTS.es.restricted];
    expect([stranger, purpose, closed].map((text, index) => text.includes(titles[index] ?? ' '))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('is in English for a browser that prefers another language', async () => {
    const page = await makeBrowser().visit(`${engine.baseUrl}/review`, { headers: { 'accept-language': 'fr' } });
    expect(page.text).toContain('<html lang="en">');
  });
});
