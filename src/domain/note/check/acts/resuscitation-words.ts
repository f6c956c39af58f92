// Resuscitation and the limits of treatment. `no-cpr` names a refusal by itself. In the notation of test-words.ts.

export const RESUSCITATION_WORDS = `
cpr            = cpr, resuscitat*, resus, chest compression*, ?jump* chest, ?bring back, ?restart heart, full code, full resus, full escalation, full active treatment / rcp, reanim*, resucit*, masaje cardiaco, ?masaje en el pecho, ?hicieran de todo, ?hagan de todo, medidas maximas / rcp, reanim*, ressuscit*, massagem cardiaca, ?massagem no coracao, ?facam de tudo, ?fazer de tudo, suporte pleno
arrest         = ?heart stop*, ?heart stopped, ?heart was to stop, ?heart should stop / ?parara el corazon, ?parase el corazon, ?para el corazon, ?corazon parara, ?corazon parase, ?corazon para, ?corazon deja, ?parada cardiaca / ?coracao parar, ?parar o coracao, ?coracao parasse, ?parada cardiaca
no-cpr         = dnacpr, dnar, dnr, dni, not for resus, ?let me go, ?let it stop, ?let her go, ?let him go, ?nature take, ?ticker stop*, allow natural death / onr, no reanimable, ?me paro me paro, ?dejen ir, ?deje ir / onr, ?deixa* ir, ?deixem ir, ?morte natural
intubation     = intubat*, ventilator, mechanical ventilation, ?breathing machine, ?breathing tube, ?life support, ?no tube, ?the tube / iot, intub*, entub*, ventilacion mecanica, vm, ?respirador, ?con maquinas, ?tubo para respirar / iot, intub*, entub*, ventilacao mecanica, vm, suporte ventilatorio, ?respirador, ?ficar no aparelho, ?aparelhos
icu            = icu, itu, hdu, intensive care, critical care, ?high care, level 2, level 3 / uci, uti, ucin, cuidados intensivos, terapia intensiva, medidas invasivas / uti, cti, terapia intensiva, medidas invasivas
niv-limit      = niv, bipap, ?that mask / vmni, bipap, ?mascarilla que aprieta / vni, bipap, ?mascara de pressao
dialysis       = dialysis, haemodialysis, hemodialysis, rrt / dialisis, hemodialisis, trr / dialise, hemodialise, trs
tube-feeding   = peg, feeding tube*, ?no feeding tube*, tube feed*, artificial feeding / peg, gastrostomia, alimentacion por sonda, nutricion enteral / gtt, gastrostomia, dieta por sonda, alimentacao por sonda
comfort        = comfort care, comfort measures, palliative only, eol care, end of life care, ?keep comfortable, ?comfortable / medidas de confort, medidas de comodidad, cuidados de confort, ?que este comoda, ?sin dolor / medidas de conforto, cuidados de conforto, cuidados paliativos exclusivos, ?ficar confortavel, ?para tirar dor
directive      = advance directive, living will, adrt, respect form, advance care plan, ?did the form, ?the form / voluntades anticipadas, dva, documento de voluntades, testamento vital, ?papeles firmados / diretivas, dav, testamento vital, diretiva antecipada
`;
