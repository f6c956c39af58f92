import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../../src/domain/language.ts';
import { checkNote } from '../../../../src/domain/note/check-note.ts';
import { verdictOf } from '../../../../src/domain/note/check-report.ts';
import { aConversation, aNote } from './check-cases.ts';

type Encounter = {
  readonly language: Language;
  readonly said: string;
  readonly note: string;
  /** Errors in the note, each with the kinds of the statements that are then unsupported. */
  readonly slips: readonly (readonly [right: string, wrong: string, kinds: readonly string[]])[];
};

const COUGH: Encounter = {
  language: 'en',
  said: `
Good afternoon. What brings you in today?|Well, I've had this cough for about ten days now, and it's just not going away. It started as a cold.
|Are you bringing anything up with the cough?|Yeah, some yellowish phlegm, mostly in the mornings.
|Any fever or chills?|I had a temperature of 101 on Friday, but no chills.
|Any chest pain, or trouble breathing?|No chest pain. I do get a little winded going up the stairs.
|Are you coughing up any blood?|No.|How about nausea, vomiting, diarrhea?|No, none of that.
|Do you smoke?|I quit about twelve years ago. I used to smoke a pack a day.
|Okay. And remind me of your medications.|I take lisinopril, twenty milligrams, once a day, and the metformin, a thousand twice a day. And a baby aspirin, eighty-one.
|Any allergies to medications?|Sulfa. I broke out in hives.|Any swelling in your legs?|No.
|Your blood pressure today is 138 over 84, heart rate is 92, oxygen is 95% on room air and your temperature is 99.8.|Okay.
|I hear some crackles at the right base. No wheezing, no murmurs. Your left ear looks fine, the right ear has a bit of wax. No swollen glands in your neck.|Okay.
|You may have a pneumonia in the right lower lobe. I'm going to start you on doxycycline 100 milligrams twice a day for seven days. You can take Tylenol, 650 every six hours as needed for the fever.
|Should I keep taking the aspirin?|Yes. Come back if you get short of breath, chest pain or if you're not better in 48 hours. Follow up in one week.|Thank you.`,
  note: `A 10-day history of productive cough with yellowish sputum. She reports a fever of 101 °F on Friday and mild exertional dyspnea. She denies chills, chest pain, hemoptysis, nausea, vomiting, and diarrhea. No lower extremity edema.
Former smoker, quit 12 years ago, previously 1 pack per day.
Medications: lisinopril 20 mg once daily, metformin 1000 mg twice daily, aspirin 81 mg.
Allergies: Sulfa (hives).
Vitals: BP 138/84 mmHg, HR 92 bpm, SpO2 95% on room air, Temp 99.8 °F.
Crackles at the right lung base, no wheezing, no murmurs. Right ear with cerumen; left ear normal. No cervical lymphadenopathy. In no acute distress.
Plan: Start doxycycline 100 mg twice daily for 7 days. Acetaminophen 650 mg every 6 hours as needed for fever. Continue aspirin. Return for shortness of breath, chest pain, or no improvement within 48 hours. Follow up in 1 week.`,
  slips: [
    ['10-day', '14-day', ['number']],
    ['101 °F', '38.3 °C', ['number']],
    ['denies chills', 'denies fever', ['negation']],
    ['quit 12 years', 'quit 20 years', ['number']],
    ['lisinopril 20 mg', 'lisinopril 10 mg', ['dose']],
    ['lisinopril 20 mg', 'losartan 20 mg', ['drug', 'dose', 'dose']],
    ['metformin 1000 mg', 'metformin 850 mg', ['dose']],
    ['metformin 1000 mg twice daily', 'metformin 1000 mg three times daily', ['dose']],
    [
      'lisinopril 20 mg once daily, metformin 1000 mg',
      'lisinopril 1000 mg once daily, metformin 20 mg',
      ['dose', 'dose'],
    ],
    ['Allergies: Sulfa', 'Allergies: penicillin', ['allergy']],
    ['Allergies: Sulfa (hives)', 'NKDA', ['allergy']],
    ['138/84', '128/84', ['number']],
    ['HR 92', 'HR 72', ['number']],
    ['95%', '98%', ['number']],
    ['99.8 °F', '98.6 °F', ['number']],
    ['right lung base', 'left lung base', ['laterality']],
    ['Right ear with cerumen; left ear normal', 'Bilateral ears normal, left eye normal', ['laterality']],
    ['no wheezing', 'no crackles', ['negation']],
    ['doxycycline 100 mg', 'azithromycin 500 mg', ['drug', 'dose', 'dose', 'number']],
    ['for 7 days', 'for 10 days', ['number']],
    ['every 6 hours', 'every 8 hours', ['dose']],
    ['within 48 hours', 'within 24 hours', ['number']],
    ['No lower extremity edema.', 'No lower extremity edema. Denies headache.', ['negation']],
    ['Continue aspirin.', 'Continue aspirin. Seen on March 3rd, 2024.', ['date']],
  ],
};

const KNEE: Encounter = {
  language: 'es',
  said: `Buenas tardes. ¿Qué lo trae por aquí?|Me duele mucho la rodilla derecha desde hace como dos semanas, doctora.
|¿Se cayó o se golpeó?|No, no me he caído.|¿Ha tenido fiebre?|No, fiebre no.|¿Se le hincha?|Sí, un poco por las tardes.
|¿Qué medicamentos toma?|Tomo losartán de cincuenta, una al día, y atorvastatina de veinte en la noche.
|¿Es alérgico a algún medicamento?|Sí, a la penicilina. Me salen ronchas.
|La presión está en ciento treinta y ocho sobre ochenta y cinco, la temperatura treinta y seis punto ocho, pesa ochenta y nueve kilos.|Bien.
|Le voy a dar naproxeno de quinientos miligramos cada doce horas por siete días con comida. Y omeprazol veinte miligramos antes del desayuno.|Gracias.
|Si tiene dolor de estómago lo suspende. Nos vemos en dos semanas.`,
  note: `Dolor en la rodilla derecha de 2 semanas de evolución. Niega caídas y fiebre.
Medicamentos: losartán 50 mg una vez al día, atorvastatina 20 mg por la noche.
Alergias: penicilina (ronchas).
TA 138/85 mmHg, temperatura 36.8 °C, peso 89 kg.
Plan: naproxeno 500 mg cada 12 horas por 7 días con alimentos; omeprazol 20 mg antes del desayuno. Suspender si presenta dolor abdominal. Control en 2 semanas.`,
  slips: [
    ['rodilla derecha', 'rodilla izquierda', ['laterality']],
    ['de 2 semanas', 'de 2 meses', ['number']],
    ['Niega caídas y fiebre', 'Niega hinchazón y fiebre', ['negation']],
    ['losartán 50 mg', 'losartán 100 mg', ['dose']],
    ['losartán 50 mg', 'lisinopril 50 mg', ['drug', 'dose', 'dose']],
    ['losartán 50 mg', 'losartán 20 mg', ['dose']],
    ['atorvastatina 20 mg', 'simvastatina 20 mg', ['drug', 'dose', 'dose']],
    ['penicilina (ronchas)', 'sulfa', ['allergy']],
    ['Alergias: penicilina (ronchas)', 'Sin alergias conocidas', ['allergy']],
    ['138/85', '118/85', ['number']],
    ['36.8', '38.6', ['number']],
    ['89 kg', '98 kg', ['number']],
    ['cada 12 horas', 'cada 8 horas', ['dose']],
    ['por 7 días', 'por 5 días', ['number']],
  ],
};

const THROAT: Encounter = {
  language: 'pt',
  said: `Bom dia, o que houve?|Estou com dor de garganta há três dias, doutor, e o ouvido esquerdo está doendo.
|Teve febre?|Tive, trinta e oito e meio ontem.|Falta de ar ou dor no peito?|Não.|Toma algum remédio?|Losartana de cinquenta, uma vez ao dia.
|Tem alergia a algum medicamento?|Não, nenhuma.
|A pressão está doze por oito, a saturação noventa e sete por cento.|Certo.
|Vou receitar amoxicilina de quinhentos miligramas de oito em oito horas por sete dias, e dipirona quarenta gotas se tiver febre.|Obrigada.`,
  note: `Dor de garganta há 3 dias e dor no ouvido esquerdo. Febre de 38,5 °C. Nega dispneia e dor torácica.
Em uso de losartana 50 mg uma vez ao dia. Nega alergias.
PA 120/80 mmHg, SpO2 97%.
Conduta: amoxicilina 500 mg 8/8h por 7 dias; dipirona 40 gotas se febre.`,
  slips: [
    ['há 3 dias', 'há 5 dias', ['number']],
    ['ouvido esquerdo', 'ouvido direito', ['laterality']],
    ['38,5', '39,5', ['number']],
    ['Nega dispneia e dor torácica', 'Nega dispneia e febre', ['negation']],
    ['losartana 50 mg', 'losartana 100 mg', ['dose']],
    ['losartana', 'enalapril', ['drug', 'dose', 'dose']],
    ['Nega alergias', 'Alergia à penicilina', ['allergy']],
    ['120/80', '130/80', ['number']],
    ['97%', '79%', ['number']],
    ['amoxicilina 500 mg 8/8h', 'amoxicilina 500 mg 12/12h', ['dose']],
    ['amoxicilina 500 mg', 'ampicilina 500 mg', ['drug', 'dose', 'dose', 'number']],
    ['40 gotas', '20 gotas', ['dose']],
    ['por 7 dias', 'por 10 dias', ['number']],
  ],
};

function unsupportedIn({ language, said }: Encounter, text: string): readonly string[] {
  const transcript = aConversation(said, language);
  const { statements } = checkNote({ note: aNote(text), transcript, language, maxUnsupported: {} });
  return statements.flatMap((statement) => (verdictOf(statement) === 'supported' ? [] : [statement.kind]));
}

describe.each([COUGH, KNEE, THROAT])('the note of an encounter in $language', (encounter) => {
  it('has no unsupported statement if it is correct', () => {
    expect(unsupportedIn(encounter, encounter.note)).toEqual([]);
  });

  it.each(encounter.slips)('has unsupported statements if “%s” is changed to “%s”', (right, wrong, kinds) => {
    expect(encounter.note).toContain(right);
    expect(unsupportedIn(encounter, encounter.note.replace(right, wrong)).toSorted()).toEqual([...kinds].toSorted());
  });
});
