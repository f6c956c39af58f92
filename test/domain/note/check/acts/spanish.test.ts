import { describe, expect, it } from '@jest/globals';
import { casesOf, doubtsOf } from './act-cases.ts';

/** What is said, what the note makes of it, and the section. */
const FAITHFUL = `
  D: Pedimos una radiografía de muñeca, cabestrillo y paracetamol si le duele. => Rx muñeca. | PLAN
  D: La altura del útero, veintisiete centímetros. => AU 27 cm. | OBJECTIVE
  D: Entonces nadie le hará masaje. P: Eso. => No RCP. | PLAN
  D: ¿Y la vacuna del tétanos? P: Esa no, gracias. => Rechaza vacuna antitetánica. | PLAN
  P: Me corté con un vidrio. => Cortes en mano derecha. | SUBJECTIVE
  D: Lo saco completo y va a patología. P: Bueno. => Biopsia escisional. | PLAN
  D: El naproxeno, fuera. => Suspender naproxeno. | PLAN
  D: El lunes vemos cuándo se puede ir a casa. => Valorar alta el lunes. | PLAN
  D: Le voy a pedir un examen de orina y una ecografía. => Se solicita EGO + USG abdominal. | PLAN
  D: Vamos a sacarle sangre para ver el riñón. => Creatinina. | PLAN
  D: Hágase una placa de tórax, ¿sí? P: Bueno. => Rx tórax. | PLAN
  D: ¿Le parece si le hago un electro? P: No hay problema. => ECG. | PLAN
  D: Le mando un cultivo. => Urocultivo. | PLAN
  D: No hace falta tomografía; con una radiografía alcanza. => Rx de rodilla. No requiere TC. | PLAN
  D: Mañana repetimos la hemoglobina y las plaquetas. => Hemograma control mañana. | PLAN
  D: Si sigue con fiebre el viernes, le pido análisis. => Analítica si persiste fiebre. | PLAN
  D: Le hacemos la glucosa y los triglicéridos. => Glucemia y perfil lipídico. | PLAN
  D: Le puse cuatro puntos. => Sutura, 4 puntos. | OBJECTIVE
  P: Me sacaron la vesícula. => Colecistectomía. | SUBJECTIVE
  P: Me operaron del apéndice. => Apendicectomía. | SUBJECTIVE
  D: Le voy a drenar el absceso. P: Bueno. => Drenaje de absceso. | PLAN
  D: ¿Me permite hacerle un tacto? P: No, eso no. => Rechaza tacto rectal. | OBJECTIVE
  D: Si el corazón se detuviera, ¿quiere que la reanimemos? P: No, déjenme ir tranquila. => ONR. | PLAN
  D: ¿Quisiera que lo conectaran a una máquina? P: No, máquinas no. => No IOT. | PLAN
  D: ¿Ha pensado en hacerse daño? P: No, doctora. => Niega ideación suicida. | SUBJECTIVE
  D: ¿Alguna vez intentó quitarse la vida? P: Sí, hace diez años. => Intento de suicidio hace 10 años. | SUBJECTIVE
  D: ¿Puede estar embarazada? P: No, imposible. => Niega embarazo. | SUBJECTIVE
  D: El enalapril lo dejamos y empezamos con losartán. => Se suspende enalapril, inicia losartán. | PLAN
  D: La metformina la subimos a dos al día. => Metformina ↑. | PLAN
  P: Dejé de tomar la atorvastatina. => Abandonó atorvastatina. | SUBJECTIVE
  D: La mando con el oculista. => Derivación a oftalmología. | PLAN
  D: Se queda internado esta noche. => Ingreso hospitalario. | PLAN
  D: Le pido un parcial de orina y un urocultivo. => Se solicita uroanálisis y urocultivo. | PLAN
  D: Vamos a hacer otra troponina a las tres horas. => Troponinas seriadas. | PLAN
  D: Hay que hacerle una tomografía de abdomen por la piedra. => UroTAC. | PLAN
  D: Quiero ver los riñones y el potasio en la sangre. => Función renal e ionograma. | PLAN
  D: Le tomo una muestra de la herida para cultivo. => Cultivo de herida. | PLAN
  D: Y ácidos biliares con hepatograma. => Ac. biliares, perfil hepático. | PLAN
  D: Ponemos los monitores para escuchar al bebé. => NST. | PLAN
  D: Una ecografía para ver el crecimiento. => Eco obstétrica (crecimiento). | PLAN
  D: Le mando hacer una química y una biometría. => BH, QS. | PLAN
  D: La endoscopia se la hacemos mañana, en ayunas. => Endoscopia alta mañana. | PLAN
  D: Sáquele una radiografía de la mano. => Rx mano AP y L. | PLAN
  D: No le voy a pedir nada de estudios. => Sin estudios complementarios. | PLAN
  D: Control de la tensión en casa durante una semana. => AMPA 1 sem. | PLAN
  D: Le tomamos el pulso y el oxígeno cada cuatro horas. => Control de constantes c/4 h. | PLAN
  D: Prueba de sangre oculta en materia fecal. => SOMF. | PLAN
  D: Cuadro hemático y creatinina mañana. => Hemograma, Cr mañana. | PLAN
  D: Le doy unos puntos y le tapo la herida. => Sutura + curación. | PLAN
  P: Me hicieron cesárea en el dieciocho. => Cesárea 2018. | SUBJECTIVE
  P: Me pusieron un stent hace dos años. => ICP con stent hace 2 a. | SUBJECTIVE
  P: Me operaron de la cadera. => PTC derecha. | SUBJECTIVE
  D: Le ponemos suero y una nebulización. => Hidratación IV, NBZ. | PLAN
  D: Mañana le metemos la camarita por la boca. => EDA mañana. | PLAN
  P: Nunca me operaron de nada. => Niega cirugías. | SUBJECTIVE
  D: La vacuna del tétanos se la pone hoy la enfermera. => Profilaxis antitetánica. | PLAN
  D: Hay que sacarle un pedacito para analizar. P: Bueno. => Biopsia de piel. | PLAN
  R: Ella firmó que no la reanimen. => ONR firmada. | SUBJECTIVE
  P: Que hagan todo lo posible. => Desea RCP. | PLAN
  D: ¿Y terapia intensiva? P: No, eso no. => No UTI. | PLAN
  D: ¿Y si el corazón se para? P: Que me dejen. => No RCP. | PLAN
  D: La mantenemos cómoda, sin hospital. R: Sí, eso queremos. => Medidas de confort, no traslado. | PLAN
  P: Tengo treinta semanas. D: ¿Y es el primero? P: Sí. => Primigesta, 30 sem. | SUBJECTIVE
  D: Lo va a ver el especialista de los huesos. => IC traumatología. | PLAN
  D: El naproxeno, ni uno más. => Se suspende naproxeno. | PLAN
  D: De la furosemida tome media desde mañana. => Furosemida ↓ a la mitad. | PLAN
  D: ¿Piensa en la muerte? P: No. => Niega ideas de muerte. | SUBJECTIVE
  D: No se preocupe que le hacemos un electro. => ECG. | PLAN
  D: Hace dos años que no se le hace la mamografía, se la pido. => Mamografía. | PLAN
  D: Si le parece bien, le sacamos una placa. => Rx. | PLAN
`;

const INVENTED = `
  D: ¿Algo más? P: No. => Se solicita TAC de cráneo. | PLAN
  P: ¿Y no me haría una resonancia? D: Por ahora no hace falta. => Se solicita RM lumbar. | PLAN
  D: Si sigue con fiebre el viernes, le pido análisis. => Se solicita analítica. | PLAN
  P: A mi papá le pusieron un marcapasos. => Portador de marcapasos. | SUBJECTIVE
  D: ¿Me permite hacerle un tacto? P: No, eso no. => Tacto rectal: próstata lisa. | OBJECTIVE
  D: Si el corazón se detuviera, ¿quiere que la reanimemos? P: Sí, que hagan todo. => No RCP. | PLAN
  D: ¿Ha pensado en quitarse la vida? P: A veces sí. => Niega ideación suicida. | SUBJECTIVE
  D: ¿Puede estar embarazada? P: No, imposible. => Embarazo en curso. | SUBJECTIVE
  D: La metformina siga igual. => Se suspende metformina. | PLAN
  D: La veo en un mes. => Interconsulta a cardiología. | PLAN
  D: Puede irse a casa. => Ingreso hospitalario. | PLAN
`;

describe('acts in Spanish', () => {
  it.each(casesOf('es', FAITHFUL))('“$talk” supports “$statement”', (one) => {
    expect(doubtsOf(one)).toEqual([]);
  });

  it.each(casesOf('es', INVENTED))('“$talk” does not support “$statement”', (one) => {
    expect(doubtsOf(one)).not.toEqual([]);
  });
});
