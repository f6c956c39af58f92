// Words that show a text to be about somebody's health, where no finding was heard. Folded.

export const HEALTH_WORDS: ReadonlySet<string> = new Set(
  (
    'patient patients doctor hospital clinic nurse medicine medication tablets pills symptom symptoms disease illness sick ill unwell hurt hurts ' +
    'pain ache diagnosis treatment surgery operation prescription emergency ambulance health infection wound blood injury ' +
    'paciente pacientes doctora medico medica hospital clinica enfermera enfermero medicina medicamento pastillas sintoma sintomas enfermedad ' +
    'enfermo enferma dolor duele diagnostico tratamiento cirugia operacion receta urgencias ambulancia salud infeccion herida sangre lesion ' +
    'doutor doutora enfermeira enfermeiro remedio comprimido comprimidos doenca doente dor doi tratamento cirurgia operacao receita emergencia ' +
    'ambulancia saude infeccao ferida sangue lesao exame consulta queixa'
  ).split(' '),
);
