// Pregnancy, births before, periods, contraception. In the notation of test-words.ts.

export const PREGNANCY_WORDS = `
pregnant       = pregnan*, gravid, ?expecting, iup, ?having a baby, ?due in, ?weeks gone, ?baby, ?midwife, ?due date, ?bump / embaraz*, gestante, gesta, gestacion, gravida, ?esperando un bebe, ?encinta, ?bebe, ?parto, ?matrona, ?partera, ?control prenatal, ?gestacional / gravida, gravidez, gestante, gestacao, gest, ?esperando bebe, ?engravid*, ?bebe, ?nenem, ?parto, ?pre - natal, ?pre natal
never-pregnant = nulligravid*, nulliparous, never pregnant, never been pregnant / nuligesta, nuligravida, nunca embarazada, nunca ha estado embarazada / nuligesta, nuligravida, nunca engravidou
first-pregnancy = primigravid*, primip*, primigravida, first pregnancy, ?first baby, ?first child, ?first one / primigesta, primigravida, primipara, primer embarazo, ?primer hijo, ?primer bebe, ?es el primero, ?primer embarazo / primigesta, primigravida, primipara, primeira gestacao, primeira gravidez, ?primeiro filho, ?e o primeiro, ?primeira gravidez
later-pregnancy = multigravid*, multip, multipara, multiparous, second pregnancy, third pregnancy, ?second baby, ?its my second, ?its my third / multigesta, multipara, segundo embarazo, tercer embarazo, ?segundo hijo, ?el segundo, ?el tercero / multigesta, multipara, segunda gestacao, terceira gestacao, segunda gravidez, terceira gravidez, ?segundo filho, ?a segunda, ?a terceira
test           = pregnancy test, upt, pt test, preg test, hcg positive, uhcg, ?test was negative, ?did a test, ?a test, ?do a test / prueba de embarazo, test de embarazo, ?la prueba, ?un test, ?me hice la prueba, ?te hiciste / teste de gravidez, tig, bhcg positivo, ?fiz o teste, ?fez teste, ?fez o teste, ?fez algum teste, ?teste de farmacia, ?o teste, ?um teste
planned        = planned pregnancy, ?was this planned, ?been trying, ?trying for / embarazo planeado, embarazo planificado, embarazo deseado, ?lo buscaban, ?buscado, ?planeado / gravidez planejada, gestacao planejada, gravidez desejada, ?foi planejad*, ?planejada
unplanned      = unplanned pregnancy, unwanted pregnancy / embarazo no planeado, embarazo no deseado, embarazo no planificado / gravidez nao planejada, gestacao nao planejada, gravidez indesejada
wish           = wants pregnancy, trying to conceive, ttc, ?want a baby, ?having children / deseo gestacional, deseo de embarazo, deseo genesico, ?tener un nino, ?tener hijos, ?quedar embarazada / desejo gestacional, desejo de gravidez, ?quer engravidar, ?ter filho
lmp            = lmp, last menstrual period, last period, ?your period, ?my period, ?period was, ?period started / fum, fur, ultima menstruacion, ultima regla, ?la regla, ?me vino, ?mi periodo, ?la menstruacion, ?su regla / dum, ultima menstruacao, ?menstruei, ?menstruacao, ?minha regra
delay          = missed period, late period, amenorrh*, ?period is late / atraso menstrual, amenorrea, retraso menstrual, ?no me viene, ?me atraso, ?se me atraso / atraso menstrual, amenorreia, ?menstruacao atrasou, ?atrasou, ?atrasada
contractions   = contraction*, braxton, uterine activity, ?tightening* / contraccion*, dinamica uterina, au, ?se pone dura, ?se me pone dura, ?endurece / contrac*, dinamica uterina, du, ?barriga dura, ?endurec*
movements      = ?fetal movement*, ?baby moving, ?baby move*, ?kick* / ?movimientos fetales, ?se mueve, ?patad* / ?movimentos fetais, ?mexe, ?mexendo, ?chut*
pre-eclampsia  = pre - eclampsia, preeclampsia / preeclampsia / pre - eclampsia, preeclampsia
miscarriage    = miscarr*, abortion, spontaneous loss, ?lost a baby, ?lost it, ?lost one / aborto*, ?perdida, ?lo perdi, ?perdi uno / aborto*, abortamento, ?perdi, ?perda
ectopic        = ectopic / ectopic*, embarazo ectopico / ectopic*
breastfeeding  = breastfeed*, breast - feed*, breast feed*, lactating, ?breastfed, ?feeding her myself / lactancia, lactando, ?pecho, ?dando pecho, ?dandole, ?amamant*, lm / aleitamento, amamenta*, lactacao, ?mama bem, ?dando de mamar, ?dar de mamar, ?dar o peito
postpartum     = ?postpartum, ?postnatal, ?puerper* / ?puerper*, ?posparto, ?postparto / ?puerper*
contraception  = mini pill, minipill, ?contracepti*, ?pill, ?condom* / minipildora, ?anticoncep*, ?preservativo, ?la pildora, ?pastillas, ?condon*, ?me cuido / minipilula, ?anticoncep*, ?preservativo, ?pilula, ?camisinha
`;
