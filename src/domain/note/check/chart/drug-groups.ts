// Groups of drugs: who is allergic to one of a group may react to the others, and a note may deny a whole group (`no anticoagulants`).
import { findDrugsInNote } from '../../../../clinical-text/drugs/find-drugs.ts';
import { makeFindNamedThings, type NamedThing } from '../../../../clinical-text/phrases/named-things.ts';
import { readTokens, type Token } from '../../../../clinical-text/tokens/tokens.ts';
import { LANGUAGES, type Language } from '../../../language.ts';

/** Drugs of which one allergy is a warning for all. Members that only share a use are in USES. */
const CROSS_REACTIVE: Readonly<Record<string, string>> = {
  penicillins:
    'penicillin amoxicillin ampicillin dicloxacillin flucloxacillin oxacillin nafcillin piperacillin cloxacillin',
  cephalosporins:
    'cephalexin cefadroxil cefazolin cefuroxime cefaclor cefdinir cefixime cefpodoxime ceftriaxone cefotaxime ceftazidime cefepime cefoxitin cefotetan ceftaroline',
  carbapenems: 'meropenem ertapenem imipenem doripenem',
  sulfonamides: 'sulfamethoxazole sulfadiazine sulfasalazine',
  macrolides: 'azithromycin clarithromycin erythromycin',
  quinolones: 'ciprofloxacin levofloxacin moxifloxacin norfloxacin ofloxacin',
  tetracyclines: 'tetracycline doxycycline minocycline tigecycline',
  aminoglycosides: 'gentamicin amikacin tobramycin neomycin streptomycin',
  nitroimidazoles: 'metronidazole tinidazole secnidazole',
  nsaids:
    'ibuprofen naproxen aspirin diclofenac aceclofenac ketorolac meloxicam piroxicam indomethacin ketoprofen dexketoprofen nimesulide etodolac sulindac flurbiprofen nabumetone',
  'ace inhibitors': 'enalapril captopril lisinopril ramipril benazepril perindopril quinapril fosinopril',
  heparins: 'heparin enoxaparin dalteparin tinzaparin',
  statins: 'atorvastatin simvastatin rosuvastatin pravastatin lovastatin pitavastatin',
  'aromatic anticonvulsants': 'carbamazepine oxcarbazepine phenytoin phenobarbital lamotrigine',
};

const USES: Readonly<Record<string, string>> = {
  anticoagulants:
    'warfarin acenocoumarol apixaban rivaroxaban dabigatran edoxaban heparin enoxaparin dalteparin tinzaparin fondaparinux',
  antiplatelets: 'aspirin clopidogrel ticagrelor prasugrel cilostazol dipyridamole',
  contraceptives: 'ethinylestradiol levonorgestrel desogestrel drospirenone norethindrone norgestimate',
  diuretics: 'furosemide torsemide bumetanide hydrochlorothiazide chlorthalidone indapamide spironolactone eplerenone',
  antidepressants:
    'sertraline fluoxetine paroxetine citalopram escitalopram fluvoxamine venlafaxine desvenlafaxine duloxetine bupropion mirtazapine trazodone amitriptyline nortriptyline vortioxetine',
};

/** What a text calls a whole group. */
const NAMES = `
penicillins = penicillins, beta lactam / penicilinas, betalactamico, beta lactamico / penicilinas, betalactamico, beta lactamico
cephalosporins = cephalosporin, cephalosporins / cefalosporina, cefalosporinas / cefalosporina, cefalosporinas
carbapenems = carbapenem / carbapenem, carbapenemico / carbapenem, carbapenemico
sulfonamides = sulfonamide, sulphonamide, sulfa, sulpha / sulfamida, sulfonamida, sulfa, sulfas / sulfonamida, sulfa, sulfas
macrolides = macrolide / macrolido / macrolideo
quinolones = quinolone, fluoroquinolone / quinolona, fluoroquinolona / quinolona, fluorquinolona
tetracyclines = tetracyclines / tetraciclinas / tetraciclinas
aminoglycosides = aminoglycoside / aminoglucosido / aminoglicosideo
nsaids = nsaid, nsaids, anti inflammatory, anti inflammatories, antiinflammatory / aine, aines, antiinflamatorio, anti inflamatorio / aine, aines, antiinflamatorio, anti inflamatorio
ace inhibitors = ace inhibitor, acei / ieca, inhibidor de la eca / ieca, inibidor da eca
heparins = heparins / heparinas / heparinas
statins = statin, statins / estatina, estatinas / estatina, estatinas
anticoagulants = anticoagula*, blood thinner, doac, noac / anticoagula*, aco por fa / anticoagula*
antiplatelets = antiplatelet / antiplaquetario, antiagregante / antiplaquetario, antiagregante
contraceptives = cocp, ocp, the pill, contraceptive pill, oral contraceptive, combined pill, contraceptive tablet / aco, anticonceptivo, anticoncepcion, pastilla anticonceptiva, pildora / aco, anticoncepcional, pilula, contraceptivo oral
diuretics = diuretic, water tablet, water pill / diuretico / diuretico
antidepressants = antidepressant / antidepresivo / antidepressivo
antibiotics = antibiotic, abx / antibiotico, atb / antibiotico, atb
`;
const ANTIBIOTICS = ['penicillins', 'cephalosporins', 'carbapenems', 'sulfonamides', 'macrolides', 'quinolones'];
const MORE_ANTIBIOTICS = ['tetracyclines', 'aminoglycosides', 'nitroimidazoles'];

const findNames = makeFindNamedThings(NAMES);

const CROSS = idsOf(CROSS_REACTIVE);
const MEMBERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...CROSS,
  ...idsOf(USES),
  ['antibiotics', new Set([...ANTIBIOTICS, ...MORE_ANTIBIOTICS].flatMap((name) => [...(CROSS.get(name) ?? [])]))],
]);
const CROSS_OF = byMember(CROSS);

function idsOf(groups: Readonly<Record<string, string>>): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    Object.entries(groups).map(([name, drugs]) => [
      name,
      new Set(findDrugsInNote(readTokens(drugs)).flatMap(({ ids }) => ids)),
    ]),
  );
}

function byMember(groups: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, readonly string[]> {
  const pairs = [...groups].flatMap(([name, ids]) => [...ids].map((id) => [id, name] as const));
  return new Map(
    [...Map.groupBy(pairs, ([id]) => id)].map(([id, found]) => [id, found.map(([, name]) => name)] as const),
  );
}

/** The groups that a text names; of a chart in any of the languages, since it may have another one than the note. */
export function groupsNamedIn(
  tokens: readonly Token[],
  languages: readonly Language[] = LANGUAGES,
): readonly NamedThing[] {
  const found = languages.flatMap((language) => findNames(tokens, language));
  return [...new Map(found.map((one) => [`${one.id} ${one.first}`, one])).values()];
}

export function isMemberOf(group: string, drug: string): boolean {
  return MEMBERS.get(group)?.has(drug) === true;
}

/** The groups in which an allergy to this drug is a warning for the others. */
export function crossReactiveGroups(drug: string): readonly string[] {
  return CROSS_OF.get(drug) ?? [];
}

export function isCrossReactive(group: string): boolean {
  return CROSS.has(group);
}
