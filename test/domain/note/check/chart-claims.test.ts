// What a note says against the chart: an entry supports what was not said, and contradicts what was.
import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../../src/domain/language.ts';
import type { ChartToCheck } from '../../../../src/domain/note/chart-to-check.ts';
import { checkNote, markNote } from '../../../../src/domain/note/check-note.ts';
import { verdictOf } from '../../../../src/domain/note/check-report.ts';
import { aConversation } from './check-cases.ts';

type Case = {
  readonly language?: Language;
  readonly said?: string;
  readonly note: string;
  readonly section?: string;
  readonly chart: ChartToCheck;
};

/** `conflict drug Naproxen <- allergies` of each claim that the chart has a part in. */
function withChart({ language = 'en', said = 'Hello.', note, section = 'SUBJECTIVE', chart }: Case): readonly string[] {
  const { statements } = checkNote({
    note: { note: { title: '', sections: [{ key: section, title: section, text: note }] } },
    transcript: aConversation(said, language),
    language,
    maxUnsupported: {},
    chart,
  });
  return statements
    .filter((one) => one.chart !== undefined)
    .map((one) => `${verdictOf(one)} ${one.kind} ${note.slice(one.from, one.to)} <- ${one.chart?.list}`);
}

const entries = (...texts: string[]) => texts.map((text) => ({ text }));

describe('a drug that was said against the allergies of the chart', () => {
  it.each<[Language, string, string, string]>([
    ['en', 'Ampicillin', 'Amoxicillin: rash', 'I will give you ampicillin.'],
    ['en', 'Ketorolac', 'NSAIDs', 'We can use ketorolac.'],
    ['es', 'Lisinopril', 'Captopril: tos y angioedema', 'Le doy lisinopril.'],
    ['pt', 'Bactrim', 'Sulfas: urticária', 'Vou passar Bactrim.'],
    ['es', 'Sugammadex', 'Sugammadex', 'Usamos sugammadex.'],
  ])('%s: %s is a conflict with “%s”', (language, note, allergy, said) => {
    const chart = { allergies: entries(allergy) };
    expect(withChart({ language, said, note: `${note}.`, section: 'PLAN', chart })).toEqual([
      `conflict drug ${note} <- allergies`,
    ]);
  });

  it.each<[Language, string]>([
    ['en', 'Avoid ampicillin.'],
    ['en', 'No ampicillin.'],
    ['es', 'Se evita ampicilina por alergia.'],
    ['pt', 'Sem ampicilina.'],
    ['en', 'Azithromycin 500 mg.'],
    ['en', 'Her brother takes ampicillin.'],
    ['en', 'Ampicillin gives her a rash.'],
    ['es', 'La ampicilina le hace daño, ronchas en los brazos.'],
    ['pt', 'Ampicilina faz mal, coceira no corpo.'],
  ])('%s: “%s” is no conflict with an allergy to penicillins', (language, note) => {
    const chart = { allergies: entries('Penicillin: rash') };
    expect(withChart({ language, note, section: 'PLAN', chart }).filter((one) => one.includes('conflict'))).toEqual([]);
  });
});

describe('allergies of a note against the list of the chart', () => {
  it.each<[Language, string, string]>([
    ['en', 'NKDA', 'NKDA.'],
    ['es', 'alergias', 'Niega alergias.'],
    ['pt', 'alergias', 'Nega alergias.'],
  ])('%s: that there are none is supported by a list that was read and is empty', (language, words, note) => {
    expect(withChart({ language, note, chart: { allergies: [] } })).toEqual([
      expect.stringMatching(new RegExp(`^supported allergy .*${words}.* <- allergies$`)),
    ]);
    expect(withChart({ language, note, chart: { allergies: entries('No known allergies') } })).toEqual([
      expect.stringMatching(/^supported allergy/),
    ]);
    expect(withChart({ language, note, chart: {} })).toEqual([]);
  });

  it('that there are none is a conflict with an allergy of the chart, if it was said', () => {
    const chart = { allergies: entries('Codeine: hives') };
    expect(withChart({ said: 'Any allergies? | No.', note: 'No allergies.', chart })).toEqual([
      'conflict allergy allergies <- allergies',
    ]);
    expect(withChart({ note: 'No allergies.', chart })).toEqual(['unsupported allergy allergies <- allergies']);
  });

  it('no allergy to drugs is no conflict with an allergy to nuts', () => {
    const chart = { allergies: entries('Peanut: swelling') };
    expect(withChart({ said: 'Allergic to any drugs? | No.', note: 'NKDA.', chart })).toEqual([]);
  });

  it.each<[Language, string]>([
    ['en', 'Allergic to penicillin.'],
    ['es', 'Alergia a penicilina.'],
    ['pt', 'Alergia a penicilina.'],
  ])('%s: an allergy that only the chart knows is supported', (language, note) => {
    expect(withChart({ language, note, chart: { allergies: entries('Penicillin: rash') } })).toEqual([
      expect.stringMatching(/^supported allergy/),
    ]);
  });
});

describe('drugs of a note against those of the chart', () => {
  const drugs = entries('Bisoprolol 5 mg once daily', 'Apixaban 5 mg twice daily');

  it('a drug and its dose that only the chart has are supported', () => {
    expect(withChart({ note: 'Takes bisoprolol 5 mg.', chart: { drugs } })).toEqual([
      'supported drug bisoprolol <- drugs',
      'supported dose 5 mg <- drugs',
    ]);
  });

  it.each<[Language, string, string]>([
    ['en', 'I take bisoprolol, ten milligrams.', 'Takes bisoprolol 10 mg.'],
    ['es', 'Tomo bisoprolol, diez miligramos.', 'Toma bisoprolol 10 mg.'],
    ['pt', 'Tomo bisoprolol, dez miligramas.', 'Usa bisoprolol 10 mg.'],
  ])('%s: another dose than the chart lists is a conflict', (language, said, note) => {
    expect(withChart({ language, said, note, chart: { drugs } })).toContain('conflict dose 10 mg <- drugs');
  });

  it('the same amount a day in other doses is no conflict, nor is a change of the dose', () => {
    const chart = { drugs: entries('Metformin 500 mg twice daily') };
    const said = 'Take metformin, one gram, once a day.';
    expect(withChart({ said, note: 'Metformin 1 g once daily.', chart })).not.toContainEqual(
      expect.stringContaining('conflict'),
    );
    const change = { said: 'Increase bisoprolol to ten milligrams.', section: 'PLAN', chart: { drugs } };
    expect(withChart({ ...change, note: 'Increase bisoprolol to 10 mg.' })).toEqual([]);
  });

  it.each<[Language, string, string]>([
    ['en', 'I stopped the apixaban in May.', 'Stopped apixaban in May.'],
    ['en', 'I take no blood thinners.', 'Not taking anticoagulants.'],
    ['es', 'Dejé el apixabán en mayo.', 'Dejó el apixabán en mayo.'],
    ['pt', 'Parei a apixabana em maio.', 'Suspendeu apixabana em maio.'],
  ])('%s: a listed drug that the patient has stopped is shown with the chart: %s', (language, said, note) => {
    expect(withChart({ language, said, note, chart: { drugs } })).toContainEqual(
      expect.stringMatching(/^conflict .* <- drugs$/),
    );
  });

  it.each<[Language, string]>([
    ['en', 'Takes metformin every day.'],
    ['es', 'Toma metformina todos los días.'],
    ['pt', 'Toma metformina todos os dias.'],
  ])('that a drug is taken each day is no conflict with how often a day (%s)', (language, note) => {
    const chart = { drugs: entries('Metformin 1000 mg twice a day') };
    const found = withChart({ language, said: note, note, chart });
    expect(found.filter((one) => one.startsWith('conflict'))).toEqual([]);
  });

  it('an order to stop a listed drug is no conflict, nor is what another drug was stopped for', () => {
    const said = 'Stop the apixaban. | You stopped the donepezil.';
    expect(withChart({ said, note: 'Stop apixaban.', section: 'PLAN', chart: { drugs } })).toEqual([]);
    expect(withChart({ said, note: 'Takes apixaban; stopped donepezil.', chart: { drugs } })).toEqual([
      'supported drug apixaban <- drugs',
    ]);
  });
});

describe('problems, sex and age of a note against the chart', () => {
  const problems = entries('Type 2 diabetes', 'Atrial fibrillation', 'Left hip replacement', 'Epilepsy');
  const person: ChartToCheck = { problems, sex: 'male', birthDate: '1960-06-15', date: '2026-05-10' };

  it.each<[Language, string]>([
    ['en', 'Not diabetic.'],
    ['en', 'No hx of arrhythmia.'],
    ['es', 'Niega diabetes.'],
    ['pt', 'Nega diabetes.'],
    ['pt', 'Nega crises convulsivas prévias.'],
    ['en', 'Right hip replacement.'],
    ['en', 'Hysterectomy.'],
    ['es', 'Paciente de sexo femenino.'],
    ['pt', 'Menopausa precoce.'],
    ['en', '35-year-old man.'],
    ['es', 'Varón de 45 años.'],
    ['pt', 'Paciente de 45 anos.'],
    ['en', 'DOB 15/07/1960.'],
  ])('%s: “%s” names the entry that says otherwise', (language, note) => {
    expect(withChart({ language, note, chart: person })).toContainEqual(expect.stringMatching(/ <- /));
    expect(withChart({ language, note, chart: person }).join()).not.toMatch(/^supported/);
  });

  it.each<[Language, string]>([
    ['en', '65-year-old man.'],
    ['es', 'Varón de 65 años.'],
    ['en', 'Known T2DM and AF.'],
    ['en', 'No seizures since June.'],
    ['en', 'No family history of diabetes.'],
    ['es', 'Madre con menopausia precoz.'],
    ['pt', 'Esposa grávida.'],
    ['en', 'Not pregnant.'],
    ['en', 'DOB 15/06/1960.'],
  ])('%s: “%s” is no conflict', (language, note) => {
    expect(withChart({ language, note, chart: person }).filter((one) => one.startsWith('conflict'))).toEqual([]);
  });

  it('the birth of a small boy is not his own pregnancy', () => {
    const chart: ChartToCheck = { sex: 'male', birthDate: '2025-01-01', date: '2026-01-02' };
    expect(withChart({ note: 'Vaginal delivery after a normal pregnancy.', chart })).toEqual([]);
  });

  it('without a chart, or with one that could not be read, nothing is compared', () => {
    expect(withChart({ note: 'Not diabetic. Takes warfarin. 20-year-old man.', chart: {} })).toEqual([]);
  });
});

describe('the mark of a conflict in a draft', () => {
  const parts = { chart: { allergies: entries('Ampicillin: rash') }, maxUnsupported: {} };
  it.each([
    ['en', 'We give you ampicillin.', 'Ampicillin [the chart says otherwise].'],
    ['es', 'Le doy ampicilina.', 'Ampicilina [la historia clínica dice otra cosa].'],
    ['pt', 'Vou dar ampicilina.', 'Ampicilina [o prontuário diz outra coisa].'],
  ] as const)('says that the chart differs (%s), unless it was not even said', (language, said, marked) => {
    const text = marked.replace(/ \[.*\]/, '');
    const note = { note: { title: '', sections: [{ key: 'PLAN', title: 'Plan', text }] } };
    const textOf = (talk: string) => {
      const report = checkNote({ ...parts, note, language, transcript: aConversation(talk, language) });
      return markNote({ note, report, language }).note.sections[0]?.text;
    };
    expect(textOf(said)).toBe(marked);
    expect(textOf('...')).not.toContain(marked.slice(marked.indexOf('['), -1));
  });
});
