// A side that the conversation calls healthy supports nothing that is written of it as ill.
import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../../src/domain/language.ts';
import { statementsOf } from './check-cases.ts';

type Row = readonly [language: Language, said: string, note: string, ...statements: string[]];

const SPARED: readonly Row[] = [
  ['en', 'The left eardrum is red, the right one is fine.', 'Otitis media, right ear.', '-laterality right ear'],
  ['en', 'The left eardrum is red, the right one is fine.', 'Otitis media, left ear.', '+laterality left ear'],
  ['en', 'The left eardrum is red, the right one is fine.', 'R ear NAD.', '+laterality R ear'],
  [
    'en',
    'The left eardrum is red and the right is normal.',
    'L ear red, R ear unremarkable.',
    '+laterality L ear',
    '+laterality R ear',
  ],
  ['en', 'Your right knee is stable. The left is not stable.', 'Left knee unstable.', '+laterality Left knee'],
  ['en', 'Your right knee is stable. The left is not stable.', 'Right knee unstable.', '-laterality Right knee'],
  [
    'en',
    'Any pain in the right wrist? | No. | And in the left one? | Yes.',
    'Right wrist pain.',
    '-laterality Right wrist',
  ],
  [
    'en',
    'Any pain in the right wrist? | No. | And in the left one? | Yes.',
    'Left wrist pain.',
    '+laterality Left wrist',
  ],
  [
    'en',
    'Any pain in the right wrist? | No.',
    'No pain in the right wrist.',
    '+negation pain in the right wrist',
    '+laterality right wrist',
  ],
  ['es', 'El oído izquierdo está rojo, el derecho está bien.', 'Otitis del oído derecho.', '-laterality oído derecho'],
  [
    'es',
    'El oído izquierdo está rojo y el derecho es normal.',
    'Otitis del oído izquierdo.',
    '+laterality oído izquierdo',
  ],
  [
    'es',
    'La rodilla derecha está estable. La izquierda no está bien.',
    'Rodilla izquierda inestable.',
    '+laterality Rodilla izquierda',
  ],
  [
    'es',
    '¿Le duele el codo derecho? | No. | ¿Y el izquierdo? | Sí.',
    'Dolor en el codo derecho.',
    '-laterality codo derecho',
  ],
  [
    'pt',
    'O ouvido esquerdo está vermelho, o direito está bom.',
    'Otite no ouvido direito.',
    '-laterality ouvido direito',
  ],
  [
    'pt',
    'O ouvido esquerdo está vermelho e o direito está normal.',
    'Otite no ouvido esquerdo.',
    '+laterality ouvido esquerdo',
  ],
  [
    'pt',
    'O joelho direito está estável. O esquerdo não está bom.',
    'Joelho esquerdo instável.',
    '+laterality Joelho esquerdo',
  ],
  [
    'pt',
    'Dói o cotovelo direito? | Não. | E o esquerdo? | Sim.',
    'Dor no cotovelo direito.',
    '-laterality cotovelo direito',
  ],
];

const WITHOUT_PART: readonly Row[] = [
  ['en', 'The left eardrum is red, the right one is fine.', 'Bilateral otitis media.', '-laterality Bilateral'],
  ['en', 'Both eardrums are red.', 'Bilateral otitis media.', '+laterality Bilateral'],
  ['en', 'The left ear is red and so is the right ear.', 'Bilateral otitis media.', '+laterality Bilateral'],
  ['en', 'The pain runs down my right leg.', 'Right sciatica.', '+laterality Right'],
  ['en', 'The pain runs down my right leg.', 'Left sciatica.', '-laterality Left'],
  ['en', 'The pain runs down my right leg.', 'She left with a fracture clinic date and came right after.'],
  ['es', 'Me baja el dolor por la pierna derecha.', 'Ciática izquierda.', '-laterality izquierda'],
  ['es', 'Me baja el dolor por la pierna derecha.', 'Ciática derecha.', '+laterality derecha'],
  ['es', 'Me baja el dolor por la pierna derecha.', 'Tiene derecho a una segunda opinión.'],
  ['pt', 'A dor desce pela perna direita.', 'Ciática à esquerda.', '-laterality esquerda'],
  ['pt', 'A dor desce pela perna direita.', 'Ciática à direita.', '+laterality direita'],
  ['pt', 'A dor desce pela perna direita.', 'Tem direito a acompanhante.'],
];

const SHORT: readonly Row[] = [
  ['en', 'Crackles at the bottom of the right lung.', 'LLL pneumonia.', '-laterality LLL'],
  ['en', 'Crackles at the bottom of the right lung.', 'RLL pneumonia.', '+laterality RLL'],
  ['en', 'It hurts low down on the right side.', 'Tender RIF.', '+laterality RIF'],
  ['es', 'Le duele la pierna derecha.', 'Dolor en MII.', '-laterality MII'],
  ['es', 'Le duele la pierna derecha.', 'Dolor en MID.', '+laterality MID'],
  ['pt', 'Dói a perna direita.', 'Dor em MIE.', '-laterality MIE'],
  ['pt', 'Dói a perna direita.', 'Dor em MID.', '+laterality MID'],
];

/** What is looked at is not ill for it. */
const LOOKED_AT: readonly Row[] = [
  ['en', 'The right hip is stiff. We will X-ray both hips.', 'Osteoarthritis of both hips.', '-laterality both hips'],
  ['en', 'The right hip is stiff. We will X-ray both hips.', 'X-ray of both hips.', '+laterality both hips'],
  [
    'es',
    'La cadera derecha está rígida. Pida una radiografía de las dos caderas.',
    'Coxartrosis bilateral.',
    '-laterality bilateral',
  ],
  [
    'es',
    'La cadera derecha está rígida. Pida una radiografía de las dos caderas.',
    'Radiografía de ambas caderas.',
    '+laterality ambas caderas',
  ],
  [
    'pt',
    'Chiado nos dois lados, mais no direito.',
    'Sibilos bilaterais, mais à esquerda.',
    '+laterality bilaterais',
    '-laterality esquerda',
  ],
];

/** A side without its part belongs to what was named last before it. */
const NEAREST: readonly Row[] = [
  [
    'en',
    'The tonsils have pus, more on the left. The right ear is normal.',
    'Left ear normal.',
    '-laterality Left ear',
  ],
  [
    'es',
    'Las amígdalas tienen pus, más la izquierda. El oído derecho está normal.',
    'Oído izquierdo normal.',
    '-laterality Oído izquierdo',
  ],
  [
    'pt',
    'As amígdalas estão com pus, mais a esquerda. O ouvido direito está normal.',
    'Ouvido esquerdo normal.',
    '-laterality Ouvido esquerdo',
  ],
];

describe('A side of the body', () => {
  it.each(SPARED)('in %s after “%s”, “%s” is judged by which side is ill', (language, said, note, ...expected) => {
    expect(statementsOf(said, note, language)).toEqual(expected);
  });

  it.each(WITHOUT_PART)(
    'in %s after “%s”, “%s” is a claim if a disease is on it',
    (language, said, note, ...expected) => {
      expect(statementsOf(said, note, language)).toEqual(expected);
    },
  );

  it.each(SHORT)('in %s after “%s”, the short form of “%s” is read', (language, said, note, ...expected) => {
    expect(statementsOf(said, note, language).filter((one) => one.includes('laterality'))).toEqual(expected);
  });

  it.each(LOOKED_AT)('in %s after “%s”, “%s” is no finding of an order', (language, said, note, ...expected) => {
    expect(statementsOf(said, note, language).filter((one) => one.includes('laterality'))).toEqual(expected);
  });

  it.each(NEAREST)('in %s “%s” does not support “%s”', (language, said, note, ...expected) => {
    expect(statementsOf(said, note, language)).toEqual(expected);
  });
});

const SOUND: readonly Row[] = [
  ['en', 'Any blurred vision? | Vision is fine.', 'Denies blurred vision.', '+negation blurred vision'],
  ['en', 'Any loss of appetite? | Appetite is good.', 'No appetite loss.', '+negation appetite loss'],
  ['en', 'Any cough? | A normal cough.', 'No cough.', '-negation cough'],
  ['es', '¿Visión borrosa? | La visión normal.', 'Sin visión borrosa.', '+negation visión borrosa'],
  ['es', '¿Tos? | Tos normal.', 'Sin tos.', '-negation tos'],
  [
    'pt',
    'Dor de cabeça, visão turva? | Dor de cabeça às vezes. Visão normal.',
    'Sem visão turva.',
    '+negation visão turva',
  ],
  ['pt', 'Tosse? | Tosse normal.', 'Sem tosse.', '-negation tosse'],
];

describe('An answer that calls what was asked normal', () => {
  it.each(SOUND)('in %s “%s” decides “%s”', (language, said, note, ...expected) => {
    expect(statementsOf(said, note, language)).toEqual(expected);
  });
});
