// The cost of the check of a note, in its thread: a long note against half an hour of talk, and the growth of the time with the talk.
import type { CheckParts } from '../../src/domain/note/check-note.ts';
import { openNoteChecker } from '../../src/evidence/open-note-checker.ts';
import { type Figure, mebibytes, times } from './figures.ts';
import { median } from './process-figures.ts';

const ROUNDS = 15;
const WARM_UP = 25;
const STATEMENTS = 60;
/** Half an hour at the pace of a visit: about 4,650 words. */
const UTTERANCES = 345;
const SECONDS_EACH = 5;
const BOUND_MS = 60;
/** A talk of twice the length may cost at most this many times the time. */
const MOST_GROWTH = 2.5;

export async function measureCheck(): Promise<readonly Figure[]> {
  const checker = openNoteChecker();
  try {
    const checkMs = async (parts: CheckParts): Promise<number> => {
      const startedMs = cpuMs();
      await checker.check(parts, new AbortController().signal);
      return cpuMs() - startedMs;
    };
    const medianMs = async (utterances: number): Promise<number> => {
      const taken: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) taken.push(await checkMs(partsOf(utterances, round)));
      return median(taken);
    };
    const residentBefore = process.memoryUsage().rss;
    const firstMs = await checkMs(partsOf(UTTERANCES, 0));
    const residentBytes = process.memoryUsage().rss - residentBefore;
    for (let round = 0; round < WARM_UP; round += 1) await checkMs(partsOf(UTTERANCES, round));
    const [usualMs, doubleMs] = [await medianMs(UTTERANCES), await medianMs(2 * UTTERANCES)];
    const growth = async (make: (count: number) => CheckParts): Promise<number> => {
      const [once, twice] = [await bestMs(make(STRANGE)), await bestMs(make(2 * STRANGE))];
      return twice / once;
    };
    const bestMs = async (parts: CheckParts): Promise<number> => {
      const taken: number[] = [];
      for (let round = 0; round < 3; round += 1) taken.push(await checkMs(parts));
      return Math.min(...taken);
    };
    const strange = [await growth(oneUtterance), await growth(wrongCites)];
    return [
      { name: 'the first note, with the start of the thread', value: inMs(firstMs) },
      { name: '  the memory of the thread', value: mebibytes(residentBytes) },
      {
        name: `a note of ${STATEMENTS} statements, half an hour of talk`,
        value: inMs(usualMs),
        bound: `under ${BOUND_MS} ms`,
        isKept: usualMs < BOUND_MS,
      },
      {
        name: '  an hour of talk against it',
        value: times(doubleMs / usualMs),
        bound: `at most ${MOST_GROWTH} x`,
        isKept: doubleMs / usualMs <= MOST_GROWTH,
      },
      ...strange.map((grown, index) => ({
        name: `  twice ${STRANGE} ${index === 0 ? 'sentences in one utterance' : 'statements that name wrong utterances'}`,
        value: times(grown),
        bound: `at most ${MOST_GROWTH} x`,
        isKept: grown <= MOST_GROWTH,
      })),
    ];
  } finally {
    await checker.close();
  }
}

/** Statements of a long note, or sentences of a talk that is not cut. */
const STRANGE = 400;

/** A talk as one utterance, and a note that repeats it but for one word. */
function oneUtterance(count: number): CheckParts {
  const said = Array.from({ length: count }, (_, index) => `I might be pregnant with a plan ${index}.`);
  const lines = said.map((text) => text.replace('might be', 'am not'));
  return strangeParts(lines, [said.join(' ')], () => [0]);
}

/** What was said is in the note, and the note names utterances that say nothing of it. */
function wrongCites(count: number): CheckParts {
  const lines = Array.from({ length: count }, (_, index) => `Metformin ${index + 2} mg.`);
  const said = Array.from({ length: count }, (_, index) => `I have taken metformin ${index + 2} mg since then.`);
  return strangeParts(lines, [...said, 'Good.', 'Okay.', 'Thanks a lot then.'], () => [count + 2]);
}

function strangeParts(lines: readonly string[], said: readonly string[], cites: () => readonly number[]): CheckParts {
  const text = lines.join('\n');
  return {
    note: {
      note: { title: 'Visit', sections: [{ key: 'SUBJECTIVE', title: 'Subjective', text }] },
      statements: lines.map((line) => ({ section: 'SUBJECTIVE', text: line, cites: cites() })),
    },
    transcript: {
      language: 'en',
      durationSeconds: said.length * SECONDS_EACH,
      utterances: said.map((words, index) => ({
        speaker: index % 2,
        text: words,
        startSeconds: index * SECONDS_EACH,
        endSeconds: (index + 1) * SECONDS_EACH,
        confidence: 0.9,
      })),
    },
    language: 'en',
    maxUnsupported: {},
  };
}

/** Each round has other numbers, so that nothing is answered from a round before. */
function partsOf(utterances: number, round: number): CheckParts {
  const lines = Array.from({ length: STATEMENTS }, (_, index) => lineOf(LINES, index, round));
  return {
    note: { note: { title: 'Visit', sections: [{ key: 'SUBJECTIVE', title: 'Subjective', text: lines.join('\n') }] } },
    transcript: {
      language: 'en',
      durationSeconds: utterances * SECONDS_EACH,
      utterances: Array.from({ length: utterances }, (_, index) => ({
        speaker: index % 2,
        text: lineOf(TALK, index, round),
        startSeconds: index * SECONDS_EACH,
        endSeconds: (index + 1) * SECONDS_EACH,
        confidence: 0.9,
      })),
    },
    language: 'en',
    maxUnsupported: {},
    chart: {
      allergies: [{ text: 'Penicillin: rash' }],
      drugs: [{ text: 'Lisinopril 10 mg once daily' }],
      problems: [{ text: 'Hypertension' }, { text: 'Type 2 diabetes' }],
    },
  };
}

function lineOf(lines: readonly string[], index: number, round: number): string {
  const number = 2 + ((index * 7 + round) % 60);
  return (lines[index % lines.length] ?? '').replaceAll('#', String(number));
}

/** Questions and answers take turns. All of it is made up. */
const TALK = [
  'So tell me, when did the pain in your chest begin?',
  'About # days ago, doctor, it comes when I walk up the hill behind our house and goes when I sit down for a bit.',
  'And do you get short of breath with it, or any sweating, or feel sick?',
  'A bit puffed, yes. No sweating. I have felt sick once or twice, but I did not throw up.',
  'Have you had a cough, or a fever, or coloured phlegm?',
  'I coughed for # days in the spring, that is all gone. No fever.',
  'Any swelling of the legs, any trouble sleeping flat?',
  'My left ankle swells in the evening. I sleep with # pillows since last winter.',
  'What about your health before, any heart trouble, diabetes, high blood pressure?',
  'Pressure, yes, for # years. My mother has diabetes, and my brother had a heart attack at #.',
  'Do you smoke, and how much do you drink?',
  'I gave up # years ago. Maybe a glass of wine on Sundays. My wife still smokes.',
  'What do you take at the moment?',
  'Lisinopril, # milligrams in the morning, and paracetamol when my right knee hurts.',
  'Any allergies that you know of?',
  'Penicillin gave me a rash when I was #.',
  'Your blood pressure is one hundred and forty over ninety, and the pulse is #.',
  'Is that high? At home it was lower on most of the # mornings.',
  'If the pain comes back and does not go away, you call us, or you go to the hospital.',
  'All right. My daughter can drive me, she lives # minutes away.',
];

const LINES = [
  'Exertional chest pain for # days, relieved by rest.',
  'Mild dyspnoea and nausea; no vomiting or diaphoresis.',
  'Denies fever. Cough in spring, resolved.',
  'Ankle oedema on the left in the evening, orthopnoea (# pillows).',
  'PMHx: HTN for # years, no T2DM.',
  'FHx: mother DM, brother MI at #.',
  'Ex-smoker, quit # years ago. EtOH occasional.',
  'Lisinopril # mg OD, paracetamol PRN for R knee pain.',
  'Penicillin allergy (rash).',
  'BP 140/90, HR #.',
];

/** Processor time of all threads, because other processes may use the machine. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function inMs(ms: number): string {
  return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
}
