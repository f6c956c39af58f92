// Preparations of suicide, and discomfort of the chest on exertion that is new, are RED in each language alike.
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Language } from '../../src/domain/language.ts';
import { makeExtractFacts } from '../../src/rules/extraction/extract-facts.ts';
import { judgeTriage } from '../../src/rules/reasoning/judge-triage.ts';
import { shippedKnowledge } from './knowledge/shipped-knowledge.ts';

let reasonsOf: (text: string) => number;
beforeAll(() => {
  const knowledge = shippedKnowledge();
  const hear = makeExtractFacts(knowledge);
  reasonsOf = (text) => judgeTriage(knowledge, hear(text), { isAllUnseen: false }).alarms.length;
});

type Row = Readonly<Record<Language, string>>;
const SUICIDE: readonly Row[] = [
  {
    en: 'He has bought a rope and plans to hang himself.',
    es: 'Ha comprado una cuerda y piensa ahorcarse.',
    pt: 'Comprou uma corda e pensa em se enforcar.',
  },
  {
    en: 'She has saved up her tablets to end it all.',
    es: 'Ha guardado pastillas para acabar con todo.',
    pt: 'Guardou comprimidos para acabar com tudo.',
  },
  {
    en: 'He has a gun at home and thinks about using it on himself.',
    es: 'Tiene una pistola en casa y piensa usarla contra sí mismo.',
    pt: 'Tem uma arma em casa e pensa em usá-la contra si.',
  },
  {
    en: 'He wrote farewell letters to the family.',
    es: 'Escribió cartas de despedida a sus hijos.',
    pt: 'Escreveu cartas de despedida aos filhos.',
  },
];
const EXERTION: readonly Row[] = [
  {
    en: 'For two weeks he has had tightness in his chest when he climbs stairs, it goes when he rests.',
    es: 'Desde hace dos semanas tiene opresión en el pecho al subir escaleras, que se le pasa al descansar.',
    pt: 'Há duas semanas tem aperto no peito ao subir escadas, que passa quando descansa.',
  },
  {
    en: 'For a week a heaviness across my chest walking uphill, gone when I stop.',
    es: 'Desde hace una semana siente un peso en el pecho al caminar rápido y desaparece al parar.',
    pt: 'Há uma semana sente um peso no peito ao andar depressa e desaparece quando para.',
  },
  {
    en: 'Since last week I get a burning in my chest when I hurry, it settles when I stop.',
    es: 'Desde la semana pasada tiene una quemazón en el pecho cuando anda deprisa, se le quita al parar.',
    pt: 'Desde a semana passada tem queimação no peito quando anda depressa, melhora ao parar.',
  },
  {
    en: 'For ten days he has had chest discomfort on exertion, it eases with rest.',
    es: 'Malestar en el pecho al hacer esfuerzos desde hace diez días, cede con el reposo.',
    pt: 'Mal-estar no peito aos esforços há dez dias, alivia com o repouso.',
  },
];
const ROWS = [...SUICIDE, ...EXERTION].flatMap((row) => Object.entries(row));

describe('Plans and means of suicide, farewell letters, and new discomfort of the chest on exertion', () => {
  it.each(ROWS)('raise an alarm (%s): %s', (_, text) => {
    expect(reasonsOf(text)).toBeGreaterThan(0);
  });
});
