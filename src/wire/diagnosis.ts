// The differential diagnosis that every endpoint returns: the REST interface, the view of a run and the state of an upload.
import { z } from 'zod';
import { CATEGORIES, type Diagnosis, ICD10_PATTERN, TRIAGE_LEVELS } from '../domain/diagnosis/diagnosis.ts';

export const exampleDiagnosis: Diagnosis = {
  diagnosis: {
    diseases: [
      {
        name: 'Acute myocardial infarction',
        icd10_code: 'I21.9',
        probability: 0.78,
        why: 'Crushing chest pain with radiation to the left arm and sweating in a smoker with hypertension.',
        diagnostic_tests: ['12-lead ECG', 'High-sensitivity troponin'],
        standard_care: [
          { name: 'Reperfusion within 120 minutes', url: 'https://www.escardio.org/Guidelines' },
          { name: 'Continuous ECG monitoring' },
        ],
        drugs: [
          {
            name: 'Aspirin',
            class: 'Antiplatelet',
            dosage: '150–300 mg by mouth once',
            considerations: 'Not with active bleeding or allergy.',
            first_line: true,
          },
        ],
        category: 'most-likely',
      },
      {
        name: 'Aortic dissection',
        icd10_code: 'I71.00',
        probability: 0.08,
        why: 'Sudden severe chest pain with hypertension; must be excluded before anticoagulation.',
        diagnostic_tests: ['CT angiography'],
        standard_care: [{ name: 'Blood pressure control' }],
        category: 'cant-miss',
      },
    ],
  },
  triage: {
    triage_level: 'RED',
    triage_justification: 'Signs of an acute coronary syndrome.',
    triage_recommendation: 'Emergency department now, by ambulance.',
  },
};

export const standardCare = z
  .object({
    name: z.string(),
    url: z.string().optional().meta({ description: 'Link to the source.' }),
  })
  .meta({ id: 'StandardCare' });

export const drug = z
  .object({
    name: z.string(),
    class: z.string(),
    dosage: z.string().meta({ description: 'General dosage information.' }),
    considerations: z.string(),
    first_line: z.boolean().meta({ description: 'Whether this is a first-line treatment.' }),
  })
  .meta({ id: 'Drug' });

export const disease = z
  .object({
    name: z.string(),
    icd10_code: z
      .string()
      .regex(new RegExp(`${ICD10_PATTERN.source}|^$`))
      .meta({
        description: 'ICD-10 code. Empty if the code in the answer belonged to another disease; `why` then says so.',
      }),
    probability: z.number().min(0).max(1),
    why: z.string().meta({ description: 'Why this diagnosis is considered.' }),
    diagnostic_tests: z.array(z.string()),
    standard_care: z.array(standardCare),
    drugs: z.array(drug).optional(),
    category: z.enum(CATEGORIES).meta({ id: 'DiseaseCategory' }),
  })
  .meta({ id: 'Disease' });

export const triage = z
  .object({
    triage_level: z.enum(TRIAGE_LEVELS).meta({ id: 'TriageLevel', description: 'RED is urgent, WHITE is not.' }),
    triage_justification: z.string(),
    triage_recommendation: z.string(),
  })
  .meta({ id: 'Triage' });

export const diagnosisFields = {
  diagnosis: z.object({ diseases: z.array(disease) }).meta({ id: 'Diagnosis' }),
  triage,
};

export const diagnosisResponse = z
  .object(diagnosisFields)
  .meta({ id: 'DifferentialDiagnosisDto', examples: [exampleDiagnosis] });
