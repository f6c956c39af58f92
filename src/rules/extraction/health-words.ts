// Words that show that a text without findings is about health. The words are folded.

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

/** Words of the names of conditions that do not show this: "a possible delay", "the general meeting". */
export const ORDINARY_WORDS: ReadonlySet<string> = new Set(
  (
    'abnormal accidental acquired adjustment altitude animal anterior attack attention blocked changing channel closure cluster common community ' +
    'compression controlled dangerously dependence detachment difficile eating episode equina essential exclude excluded exercise externa failure ' +
    'foreign functional general gradual graves growing household inhalation insect johnson lateral movements multiple others overuse persistent ' +
    'person pesticide plantar positional possible pressure primary pulled raised reaction reactive reduced related returned scarlet serious shedding ' +
    'source spontaneous stable status stevens suspected tennis tension threat threatened traveller travellers tunnel unknown withdrawal within without ' +
    'abierta aclarado altura amenaza anormal atencion caballo cambia carbono cerrado comunidad conducta contacto controlada costra crecimiento ' +
    'crisis cuadro cuerpo derrame descartar domesticos episodio esencial espontaneo estable estado expuesta extrano fisico funcional gigantes ' +
    'hierro inicial inquietas insecto mecanica movimientos ninera nocturna nocturnos pequena pequeno perdida persistente persona posible posicional ' +
    'presion previa primaria productos profunda progresiva quinta racimos reactiva retencion revision riesgo rotura segunda sexual tenista ' +
    'tensional termino tormenta trabajo transitoria transitorio transmision viajero ' +
    'adquirida aereas ameaca atencao comportamento compressao comunidade crescimento crianca deficiencia diminuicao essencial estavel estranho ' +
    'excessivo excluir exercicio exposta fechado fisicos fumaca inaugural indeterminado inseto metade movimentos multipla noturna noturnas ' +
    'outros parede pessoa possivel prematuro pressao prisao produtos salvas saudavel sexualmente superiores suspeita tempestade trabalho ' +
    'transmissivel tratos viajante'
  ).split(' '),
);
