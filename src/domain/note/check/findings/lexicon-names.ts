// The findings of the lexicon that mean the same as those of the lists of this check: the lexicon has more words of patients for them.
import type { Lexicon } from '../../lexicon.ts';

const LEXICON = 'lexicon:';

const SAME = `
fever = fever
chills = chills
sweats = sweating, night-sweats
fatigue = fatigue
weight loss = weight-loss
weight gain = weight-gain
appetite loss = poor-appetite, poor-feeding
cough = cough
sputum = productive-cough
hemoptysis = coughing-blood
dyspnea = breathlessness
orthopnea = orthopnea
wheezing = wheeze
palpitations = palpitations
cyanosis = cyanosis
choking = choking
edema = ankle-swelling, leg-swelling-both, leg-swelling-one, face-swelling
nausea = nausea
vomiting = vomiting
diarrhea = diarrhoea
constipation = constipation
bloating = bloating, abdominal-distension
blood in stool = blood-in-stool, black-stool
hematemesis = vomiting-blood
heartburn = heartburn
dysphagia = difficulty-swallowing
drooling = drooling
coluria = dark-urine
jaundice = jaundice
thirst = thirst
polyuria = polyuria
nocturia = nocturia
hypoglycemia = low-glucose
dysuria = dysuria
urinary frequency = urinary-frequency
hematuria = blood-in-urine
incontinence = incontinence
contractions = contractions
fluid loss = waters-broke
epistaxis = nosebleed
gum bleeding = gum-bleeding
bruising = bruise
rash = rash, hives
itching = itching
lymphadenopathy = swollen-neck-glands
hoarseness = hoarseness
rebound = peritoneal-irritation
murmur = heart-murmur
rales = crackles
trauma = trauma, fall
head injury = head-injury
syncope = syncope
dizziness = dizziness, vertigo
vision changes = blurred-vision, vision-loss, double-vision
aura = aura
photophobia = photophobia
phonophobia = phonophobia
neck stiffness = neck-stiffness
numbness = numbness
confusion = confusion
drowsiness = drowsy
seizure = seizure
speech trouble = speech-difficulty
weakness = arm-weakness, leg-weakness, one-sided-weakness, both-legs-weakness
sore throat = sore-throat
congestion = nasal-congestion, runny-nose
ear discharge = ear-discharge
hearing loss = hearing-loss
tinnitus = tinnitus
depression = low-mood
anxiety = worry, anxiety-known
hallucinations = hallucinations
insomnia = sleep-problem
hair loss = hair-loss
loss of sensation = numbness, saddle-numbness
headache = headache
pain:ear = ear-pain
pain:chest = chest-pain
pain:back = back-pain
pain:neck = neck-pain
pain:shoulder = shoulder-pain
pain:hip = hip-pain
pain:knee = knee-pain
pain:joint = joint-pain
pain:muscle = muscle-pain
pain:abdomen = abdominal-pain
pain:breast = breast-pain, breast-tenderness
pain:tooth = toothache
dyspareunia = pain-with-sex
dysmenorrhea = period-pain
diabetes = diabetes
hypertension = hypertension
infarction = heart-attack-now
stroke = stroke-before, stroke-now
thrombosis = previous-clot
hernia = hernia-known
coronary disease = heart-disease
heart failure = heart-failure-known
arrhythmia = atrial-fibrillation
cholesterol = high-cholesterol
asthma = asthma-known
copd = copd-known
kidney disease = kidney-disease
dialysis = kidney-disease
thyroid disease = thyroid-known
epilepsy = epilepsy-known, seizure
migraine = migraine-known
dementia = dementia-known
osteoporosis = osteoporosis-known
ulcer = ulcer-known
reflux = heartburn
liver disease = liver-disease
gallstones = gallstones-known
kidney stones = kidney-stones-known
anemia = anaemia
hay fever = hay-fever-known
deafness = hearing-loss
ear infection = ear-pain
pacemaker = pacemaker-known
smoking = smoking
`;

const BY_NAME: ReadonlyMap<string, readonly string[]> = new Map(
  SAME.split('\n')
    .filter(Boolean)
    .map((line) => {
      const [name = '', ids = ''] = line.split(' = ');
      return [name, ids.split(', ').map((id) => LEXICON + id)] as const;
    }),
);

/** These keys, and those of the lexicon that mean the same. */
export function sameKeys(keys: readonly string[]): readonly string[] {
  return [...new Set(keys.flatMap((key) => [key, ...(BY_NAME.get(key.slice(key.indexOf(':') + 1)) ?? [])]))];
}

/** The same with all that implies it or is implied by it. */
export function kindredKeys(keys: readonly string[], lexicon: Lexicon | undefined): readonly string[] {
  const all = sameKeys(keys).flatMap((key) => {
    const id = lexiconId(key);
    if (id === undefined || lexicon === undefined) return [key];
    return [...lexicon.kinOf(id)].map((kin) => LEXICON + kin);
  });
  return [...new Set(all)];
}

/** The finding of the lexicon; undefined for a key of a list. */
export function lexiconId(key: string): string | undefined {
  return key.startsWith(LEXICON) ? key.slice(LEXICON.length) : undefined;
}
