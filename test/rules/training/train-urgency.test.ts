import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../src/domain/language.ts';
import { parseKnowledge } from '../../../src/rules/knowledge/read-knowledge.ts';
import { type TrainingStory, trainUrgency } from '../../../src/rules/training/train-urgency.ts';
import { formatUrgency } from '../../../src/rules/training/urgency-file.ts';

function aStory(parts: Partial<TrainingStory> = {}): TrainingStory {
  return { language: 'en', isUrgent: false, findings: [], words: [], ...parts };
}

function times(count: number, story: TrainingStory): TrainingStory[] {
  return Array.from({ length: count }, () => story);
}

const MORE = Array.from({ length: 12 }, (_, index) => `more${index}`);
const URGENT = aStory({ isUrgent: true, findings: ['fever', 'cough'], words: ['grey', 'yesterday', ...MORE] });
const CALM = aStory({ findings: ['cough', 'itch'], words: ['refill', 'yesterday', ...MORE] });
const STORIES = [...times(20, URGENT), ...times(20, CALM)];

describe('The training of the urgency model', () => {
  const { findings, words } = trainUrgency(STORIES);

  it('gives positive weight to words of urgent histories, negative weight to words of others, and none to words of both', () => {
    expect(words.en.get('grey')).toBeGreaterThan(0.5);
    expect(words.en.get('refill')).toBeLessThan(-0.5);
    expect(words.en.has('yesterday')).toBe(false);
    expect(findings.get('fever')).toBeGreaterThan(0.2);
  });

  it('gives no finding a negative weight', () => {
    expect(findings.get('itch')).toBe(0);
  });

  it('ignores findings and words that are in only two histories', () => {
    const rare = times(2, aStory({ isUrgent: true, findings: ['hiccups'], words: ['purple', ...MORE] }));
    const learnt = trainUrgency([...STORIES, ...rare]);
    expect(learnt.words.en.has('purple')).toBe(false);
    expect(learnt.findings.has('hiccups')).toBe(false);
  });

  it('separates the languages', () => {
    const spanish = STORIES.map((story) => ({ ...story, language: 'es' as Language, isUrgent: !story.isUrgent }));
    const learnt = trainUrgency([...STORIES, ...spanish]);
    expect(learnt.words.en.get('grey')).toBeGreaterThan(0);
    expect(learnt.words.es.get('grey')).toBeLessThan(0);
  });

  it('does not depend on the number of urgent histories in a language', () => {
    const many = trainUrgency([...times(90, URGENT), ...times(10, CALM)]);
    const few = trainUrgency([...times(10, URGENT), ...times(90, CALM)]);
    expect(many.start).toBeCloseTo(few.start, 6);
  });

  it('returns the same model for the same histories', () => {
    expect(trainUrgency(STORIES)).toEqual(trainUrgency(STORIES));
  });

  it('leaves out histories of a few words, and reports the lengths of the others', () => {
    const few = times(9, aStory({ isUrgent: true, findings: ['hiccups'], words: ['purple'] }));
    const long = aStory({ words: Array.from({ length: 30 }, (_, index) => `word${index}`) });
    const learnt = trainUrgency([...STORIES, ...few, long]);
    expect(learnt).toMatchObject({ shortest: 12, longest: 30 });
    expect(learnt.words.en.has('purple')).toBe(false);
    expect(learnt.findings.has('hiccups')).toBe(false);
  });
});

describe('The file of the urgency model', () => {
  const lexicon = 'fever: { name: { en: f, es: f, pt: f }, en: [fever], es: [fiebre], pt: [febre] }\n';

  it('is read back as the trained weights, to a tenth', () => {
    const many = new Map(
      Array.from({ length: 60 }, (_, index) => [`word${String.fromCharCode(97 + (index % 26))}${index}`, 0.41]),
    );
    const words = { en: many, es: new Map([['gris', -0.24]]), pt: new Map([['claro', 0.04]]) };
    const text = formatUrgency({ start: -0.62, shortest: 3, longest: 99, findings: new Map([['fever', 1.26]]), words });
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(140);
    const read = parseKnowledge([
      { path: 'lexicon/small.yaml', text: lexicon },
      { path: 'urgency/learned.yaml', text },
    ]);
    expect(read).toMatchObject({
      knowledge: {
        urgency: {
          start: -0.6,
          shortest: 3,
          longest: 99,
          findings: new Map([['fever', 1.3]]),
          words: {
            en: new Map(Array.from(many.keys(), (word) => [word, 0.4])),
            es: new Map([['gris', -0.2]]),
            pt: new Map(),
          },
        },
      },
    });
  });
});
