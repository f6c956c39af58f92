import { describe, expect, it } from '@jest/globals';
import { noteOf, SORE_THROAT_PT, type SpokenTurns, sectionsOf } from './talks.ts';

describe('The sections of the built-in templates', () => {
  it('CHEDDAR has the complaint also in the history, and the less likely conditions in the differential', () => {
    const sections = sectionsOf(noteOf(SORE_THROAT_PT, { template: 'CHEDDAR', language: 'pt' }));
    expect(sections['CHIEF_COMPLAINT']).toContain('garganta dói');
    expect(sections['HISTORY']).toContain('garganta dói');
    expect(sections['EXAMINATION']).toContain('amígdalas');
    expect(sections['DIFFERENTIAL']).toContain('menos provável');
    expect(sections['ACTION']).toContain('amoxicilina');
    expect(sections['REVIEW']).toContain('Retorno em duas semanas.');
    expect(sections['DECISION']).toBe('Sem texto próprio: ver Ação, Revisão.');
  });

  it('MULTIPLE_SECTIONS keeps past, drugs, allergies and family apart from the present illness', () => {
    const talk: SpokenTurns = [
      [0, 'What can I help you with?'],
      [1, 'I have had chest tightness on the stairs for about a month.'],
      [0, 'Anyone in your family with heart disease?'],
      [1, 'My father died of a heart attack at fifty-two.'],
      [0, 'What medications do you take?'],
      [1, 'Metformin 1000 twice a day.'],
      [0, 'Your heart rate is 84. Lungs are clear. I suspect angina. We will get an ECG today.'],
    ];
    const sections = sectionsOf(noteOf(talk, { template: 'MULTIPLE_SECTIONS' }));
    expect(sections['HISTORY_OF_PRESENT_ILLNESS']).toContain('stairs');
    expect(sections['HISTORY_OF_PRESENT_ILLNESS']).not.toMatch(/father|Metformin/);
    expect(sections['PAST_MEDICAL_HISTORY']).toContain('Anyone in your family with heart disease? “My father died');
    expect(sections['PAST_MEDICAL_HISTORY']).toContain('“Metformin 1000 twice a day.”');
    expect(sections['ASSESSMENT']).toBe('I suspect angina.');
    expect(sections['PLAN']).toBe('We will get an ECG today.');
  });

  it('PIE separates the evaluation after the first intervention from the problem', () => {
    const talk: SpokenTurns = [
      [0, "Hi, I'm your nurse. How's the pain?"],
      [1, 'It is bad, about an eight.'],
      [0, 'Pulse 98. I am going to give you five milligrams of oxycodone now.'],
      [1, 'Thank you.'],
      [0, 'How is the pain now?'],
      [1, 'Much better, maybe a three.'],
      [0, 'Pulse is 82 now.'],
    ];
    const sections = sectionsOf(noteOf(talk, { template: 'PIE' }));
    expect(sections['PROBLEM']).toMatch(/eight[\s\S]*Pulse 98/);
    expect(sections['INTERVENTION']).toContain('oxycodone');
    expect(sections['EVALUATION']).toMatch(/three[\s\S]*82/);
  });

  it('BIRP separates the exercise of the session from the task for the week', () => {
    const talk: SpokenTurns = [
      [0, 'Hola, siéntate. ¿Cómo has estado desde la última sesión?'],
      [1, 'Peor. Discutí con mi jefe y luego no pude dormir en dos noches.'],
      [0, 'Vamos a hacer un ejercicio de relajación: aprieta fuerte, y suelta.'],
      [0, '¿Cómo te sientes ahora?'],
      [1, 'Algo más calmada, la tensión bajó de nueve a cinco.'],
      [0, 'Para esta semana te propongo un registro de lo que piensas. Nos vemos el martes a las seis.'],
    ];
    const sections = sectionsOf(noteOf(talk, { template: 'BIRP', language: 'es' }));
    expect(sections['BEHAVIOR']).toContain('dormir');
    expect(sections['INTERVENTION']).toContain('relajación');
    expect(sections['RESPONSE']).toContain('de nueve a cinco');
    expect(sections['PLAN']).toMatch(/registro[\s\S]*martes/);
  });

  it('SBAR treats both speakers as clinicians', () => {
    const talk: SpokenTurns = [
      [0, 'Registrar here.'],
      [1, 'I am calling about the lady in bed four, she has chest pain since ten minutes.'],
      [0, 'Any history?'],
      [1, 'She has diabetes and is on metformin. Blood pressure 90 over 60, sats 88 percent.'],
      [1, 'I think it could be a clot.'],
      [0, 'Get an ECG now, keep the oxygen on, and I will call the consultant.'],
    ];
    const sections = sectionsOf(noteOf(talk, { template: 'SBAR' }));
    expect(sections['SITUATION']).toContain('chest pain');
    expect(sections['BACKGROUND']).toContain('metformin');
    expect(sections['ASSESSMENT']).toMatch(/90 over 60[\s\S]*clot/);
    expect(sections['RECOMMENDATION']).toMatch(/ECG/);
  });
});

describe('The sections of a custom template', () => {
  const customTemplate = [
    '# Motivo de consulta\nPor qué viene.',
    '# Alergias y medicación\nAlergias, medicamentos que toma.',
    '# Exploración\nConstantes y hallazgos.',
    '# Pies\nLo que se vio en los pies.',
    '# Indicaciones\nTratamiento, recomendaciones y próxima cita.',
  ].join('\n\n');
  const talk: SpokenTurns = [
    [0, '¿Qué le trae por aquí?'],
    [1, 'Tengo mucha tos desde hace cinco días.'],
    [0, '¿Toma algún medicamento?'],
    [1, 'Losartán de 50 por la mañana.'],
    [0, '¿Es alérgico a algo?'],
    [1, 'A la penicilina.'],
    [0, 'Se oyen sibilancias en los dos pulmones. Temperatura 37,8. En el pie derecho hay una ampolla pequeña.'],
    [0, 'Le voy a recetar salbutamol cada seis horas. Vuelva en una semana.'],
  ];

  it('are filled by the words of title and guidance', () => {
    const sections = sectionsOf(noteOf(talk, { customTemplate, language: 'es' }));
    expect(sections['MOTIVO_DE_CONSULTA']).toContain('tos');
    expect(sections['ALERGIAS_Y_MEDICACIÓN']).toMatch(/Losartán[\s\S]*penicilina/);
    expect(sections['EXPLORACIÓN']).toMatch(/sibilancias[\s\S]*37,8/);
    expect(sections['PIES']).toContain('ampolla');
    expect(sections['INDICACIONES']).toMatch(/salbutamol[\s\S]*una semana/);
  });

  it('are filled also if the template is in another language than the talk', () => {
    const english = '# Allergies\nKnown allergies.\n# Plan\nTreatment and follow-up.';
    const sections = sectionsOf(noteOf(talk, { customTemplate: english, spoken: 'es', language: 'es' }));
    expect(sections['ALLERGIES']).toContain('penicilina');
    expect(sections['PLAN']).toContain('salbutamol');
    expect(sections['ALLERGIES']).not.toContain('salbutamol');
  });

  it('hold all statements if they are made for everything', () => {
    const sections = sectionsOf(noteOf(talk, { customTemplate: '# Resumen\n', language: 'es' }));
    expect(sections['RESUMEN']).toMatch(/tos[\s\S]*Losartán[\s\S]*sibilancias[\s\S]*salbutamol/);
  });
});
