import { describe, expect, it } from '@jest/globals';
import { casesOf, doubtsOf } from './act-cases.ts';

/** What is said, what the note makes of it, and the section. */
const FAITHFUL = `
  D: Vamos fazer um raio-X do punho, tipoia, e dipirona se doer. => Rx de punho. | PLAN
  D: Hidrate bem, uns três litros por dia. => Hidratação VO 3 L/dia. | PLAN
  D: Foi planejada? P: Foi, a gente queria. => Gravidez planejada. | SUBJECTIVE
  D: Então ninguém vai fazer massagem. P: Isso. => Não RCP. | PLAN
  D: E a vacina do tétano? P: Essa não, obrigada. => Recusa vacina antitetânica. | PLAN
  D: O senhor para o ibuprofeno. => Suspender ibuprofeno. | PLAN
  D: O clonazepam não volta mais. => Suspenso clonazepam. | PLAN
  D: Já fez o teste? P: Não fiz. => Sem teste de gravidez até o momento. | SUBJECTIVE
  D: O AAS não precisa parar. => Manter AAS. | PLAN
  D: Na sexta a gente vê se dá pra ir embora. => Reavaliar alta na sexta. | PLAN
  D: Vou pedir um exame de urina e uma ultrassonografia. => EAS + USG abdome. | PLAN
  D: Vamos colher sangue para ver o rim. => Cr, ureia. | PLAN
  D: A senhora faz um raio-X do pulmão, tá? P: Tá. => Rx tórax. | PLAN
  D: Posso fazer um eletro? P: Não tem problema. => ECG. | PLAN
  D: Não precisa de tomografia, o raio-X resolve. => Rx joelho; sem indicação de TC. | PLAN
  D: Se a febre continuar, aí eu peço hemograma. => Hemograma se febre persistir. | PLAN
  D: Amanhã repete o hemograma e a função do rim. => Controle de Hb e Cr amanhã. | PLAN
  D: Vou passar o cotonete na garganta para cultura. => Swab de orofaringe. | PLAN
  D: Dei quatro pontos. => Sutura, 4 pontos. | OBJECTIVE
  P: Tirei a vesícula faz dez anos. => Colecistectomia há 10 anos. | SUBJECTIVE
  P: Operei do apêndice. => Apendicectomia prévia. | SUBJECTIVE
  D: Vou drenar isso. P: Pode. => Drenagem de abscesso. | PLAN
  D: Se o coração parar, o senhor quer que a gente tente reanimar? P: Não, quero ir em paz. => Não RCP. | PLAN
  D: E ficar em máquina, na UTI? P: Isso não. => Sem IOT, sem UTI. | PLAN
  D: Já pensou em se machucar? P: Não, nunca. => Nega ideação suicida. | SUBJECTIVE
  D: Tem chance de gravidez? P: Não, menstruei ontem. => Nega gestação. | SUBJECTIVE
  D: Vamos parar o enalapril e começar losartana. => Suspenso enalapril; iniciada losartana. | PLAN
  D: A metformina vai para duas por dia. => Aumentada metformina. | PLAN
  P: Parei com a sinvastatina por minha conta. => Suspendeu sinvastatina. | SUBJECTIVE
  D: Vou te encaminhar para o oculista. => Encaminhada à oftalmologia. | PLAN
  D: O senhor vai ficar internado. => Internação. | PLAN
  D: Vou pedir um exame de sangue completo e urina. => Hemograma, EAS. | PLAN
  D: Repete a troponina em três horas. => Troponina seriada. | PLAN
  D: Vamos fazer uma tomografia para ver a pedra no rim. => TC de abdome s/ contraste. | PLAN
  D: Vou colher o potássio e a creatinina amanhã. => K+ e Cr amanhã. | PLAN
  D: Ácidos biliares e as enzimas do fígado. => Ác. biliares + TGO/TGP. | PLAN
  D: Vamos pôr o aparelhinho para ouvir o coração do bebê. => CTG. | PLAN
  D: Um ultrassom para ver o crescimento do bebê. => USG obstétrica. | PLAN
  D: Endoscopia amanhã cedo, em jejum. => EDA amanhã. | PLAN
  D: Raio-X da mão para ver se ficou vidro. => Rx mão. | PLAN
  D: Não precisa de exame nenhum. => Sem necessidade de exames. | PLAN
  D: Vou pedir o papanicolau. => Colpocitologia oncótica. | PLAN
  D: Vamos medir o pico de fluxo. => PFE. | PLAN
  D: Um exame do coração, o ecocardiograma. => ECOTT. | PLAN
  D: Sangue oculto nas fezes. => PSO. | PLAN
  D: Sorologias de HIV e sífilis. => Anti-HIV, VDRL. | PLAN
  D: Vou dar uns pontos e fazer um curativo. => Sutura + curativo. | PLAN
  P: Fiz cesárea em dois mil e dezoito. => PC 2018 (cesárea). | SUBJECTIVE
  P: Botaram um stent faz dois anos. => ATC c/ stent há 2 a. | SUBJECTIVE
  P: Operei o quadril. => Artroplastia de quadril. | SUBJECTIVE
  D: Vamos fazer soro e inalação. => Hidratação EV, NBZ. | PLAN
  P: Nunca operei nada. => Nega cirurgias. | SUBJECTIVE
  D: A vacina do tétano a enfermeira faz hoje. => Profilaxia antitetânica. | PLAN
  D: Vou tirar um pedacinho para biópsia. => Biópsia de pele. | PLAN
  R: Ela assinou que não quer ser reanimada. => ONR registrada. | SUBJECTIVE
  P: Quero que façam tudo. => Deseja RCP. | PLAN
  D: E UTI? P: UTI não. => Sem UTI. | PLAN
  D: E se o coração parar? P: Deixa ir. => Não RCP. | PLAN
  D: A gente deixa ela confortável, sem hospital. R: Isso. => Medidas de conforto, sem transferência. | PLAN
  P: Estou de trinta semanas. D: É o primeiro? P: Sim, é. => Primigesta, 30 sem. | SUBJECTIVE
  D: O médico dos ossos vai te avaliar. => Encaminhado à ortopedia. | PLAN
  D: Naproxeno, nunca mais. => Suspenso naproxeno. | PLAN
  D: A furosemida, metade a partir de amanhã. => Reduzida furosemida. | PLAN
  D: Pensa em morte? P: Não. => Nega ideação suicida. | SUBJECTIVE
  D: Faz dois anos que não fez mamografia, vou pedir. => Mamografia. | PLAN
  D: Se a senhora concordar, a gente faz um raio-X. => Rx. | PLAN
  D: Não dá para saber sem a tomografia, então vai fazer hoje. => TC hoje. | PLAN
`;

const INVENTED = `
  D: Mais alguma coisa? P: Não. => Solicitada RM de crânio. | PLAN
  P: Não era bom uma ressonância? D: Agora não precisa. => Solicitada RM lombar. | PLAN
  P: Meu pai usa marcapasso. => Portador de marcapasso. | SUBJECTIVE
  D: Posso fazer o toque? P: Prefiro não. => Toque retal sem alterações. | OBJECTIVE
  D: Se o coração parar, o senhor quer que a gente tente reanimar? P: Quero, sim. => ONR. | PLAN
  D: Já pensou em tirar a própria vida? P: Às vezes penso, sim. => Nega ideação suicida. | SUBJECTIVE
  D: Dorme bem? P: Durmo. => Nega ideação suicida. | SUBJECTIVE
  D: Tem chance de gravidez? P: Não, menstruei ontem. => Gestante. | SUBJECTIVE
  D: A metformina continua igual. => Suspensa metformina. | PLAN
  D: Volta em um mês. => Encaminhada à cardiologia. | PLAN
  D: Pode ir para casa. => Internação hospitalar. | PLAN
`;

describe('acts in Portuguese', () => {
  it.each(casesOf('pt', FAITHFUL))('“$talk” supports “$statement”', (one) => {
    expect(doubtsOf(one)).toEqual([]);
  });

  it.each(casesOf('pt', INVENTED))('“$talk” does not support “$statement”', (one) => {
    expect(doubtsOf(one)).not.toEqual([]);
  });
});
