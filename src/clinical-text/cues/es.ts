// The cues of Spanish. See cues.ts for what each list does.
import type { CueWords } from './cue-words.ts';

export const ES: CueWords = {
  denies:
    'niega|niegan|nego|negaba|negando|niego|sin|ausencia de|negativo para|negativa para|negativo :|negativa :|libre de|exento de|descarta|descartado',
  before: 'no|nunca|ningun|ninguna|ninguno|tampoco|ni|jamas|nada de',
  after: 'no|nunca|tampoco',
  always:
    'negativo|negativa|negativos|negativas|ausente|ausentes|ninguna|ninguno|nada|niega|descartado|descartada|salio negativo|salio negativa|dio negativo|dio negativa|es negativo|fue negativo',
  behindAfter:
    'he|ha|hemos|han|hay|habia|hubo|tengo|tiene|tenia|tuve|tuvo|tenido|presenta|presento|siento|sentia|senti|noto|note|refiere|veo|vi|aparece|padezco|padece|me note|me noto|y|ni|pero|o|por ahora|de momento|la tengo|lo tengo|la tiene|lo tiene|me sale|me salio|le sale|le salio|existe|se observa|se aprecia',
  affirms: 'sí|presente|presentes|positivo|positiva|tambien',
  pseudo:
    'no solo|no solamente|no unicamente|sin cambios|sin cambio|sin mejoria|sin mejora|sin alivio|sin embargo|sin duda|no obstante|no hay duda|no cabe duda|no mas que|nada mas que|no se si|no se|niega a|negado a|nego a|negaba a|a no ser|sin ceder|sin remitir|sin control|sin prueba|sin test|no hay cambio|no hay mejoria|ni idea|no es que no',
  goesOn:
    'quit*|ced*|mejor*|pasa|pasan|pasar|paso|baja|bajan|baje|bajen|bajar|bajaba|bajado|bajo|bajaron|desaparec*|remit*|calm*|va|van|fue|para|paran|deja*|alivi*|respond*|control*|resuelv*|resolv*|suelta|suelto|se va|marcha|cede|contiene|cesa*|mengua*',
  between:
    'se|me|te|le|les|nos|lo|la|los|las|ha|han|he|esta|estan|del|todo|termina|acaba|de|quiere|logra|consigo|consigue|hay|manera|forma|que',
  unsure: 'se|sabe|saber|seguro|segura|recuerdo|sabria|estoy seguro|estoy segura',
  scopeEnd:
    'pero|excepto|salvo|aunque|sino|a no ser|fuera de|aparte de|quitando|menos|mas que|solo|solamente|unicamente|cambio|cambios|mejoria|mejora|alivio|porque|refiere|refirio|refieren|relata|relato|reporta|comenta|presenta|acude|consulta|manifiesta|dice|aqueja|desde|sí|mas bien|mas|en cambio|por lo que|ya que|cuando|mientras|eso sí|debido',
  having: 'tengo|tiene|tuvo|tuve|siento|presento|noto|hay|habia|hubo|tenia|padece|padezco|tienen',
  copulas: 'es|era|son|fue|lo que tengo|lo que tiene',
  taken:
    'tom*|us*|prob*|di|dio|doy|da|dado|recet*|administr*|puse|puso|ponerle|dar*|nada|algo|medic*|remedi*|tratamiento*|pastilla*|jarabe*|necesit*|ningun*',
  purposes: 'para|contra',
  only: 'solo|solamente|unicamente|salvo|excepto|sino|mas que|a no ser|menos|nomas',
  occasions: 'al|cuando|con|si|en|durante|tras|despues|por|a veces|subiendo|caminando|cuesta',
  links: ',|/|o|u|y|e|ni',
  large: 'mucha|mucho|muy|tan|tanta|tanto|demasiado|demasiada',
  supposed:
    'si|caso|puede|podria|pueden|causar|causa|efecto|efectos|riesgo|vigile|vigilar|llame|llamar|regrese|vuelva|avise|acuda|volver|consultar|hasta que|en caso|por si',
  past: 'hace anos|anos atras|el ano pasado|de nino|de nina|de pequeno|de pequena|cuando era|antecedente*|antes tenia|solia|en el pasado|en la infancia|hace meses|previo|previa',
  self: 'yo|me|mi|conmigo|tengo|paciente',
  owners: 'mi|mis|su|sus|tu|tus|la|el|un|una|nuestro|nuestra|mi otro|mi otra',
  belonging: 'de|del|en',
  kin: {
    mother: 'madre|mama|mami|madrastra',
    father: 'padre|papa|papi|padrastro',
    brother: 'hermano|hermanito',
    sister: 'hermana|hermanita',
    sibling: 'gemelo|gemela|mellizo|melliza',
    spouse: 'esposa|esposo|marido|mujer|pareja|novio|novia',
    son: 'hijo|hijito',
    daughter: 'hija|hijita',
    child: 'nino|nina|bebe|chiquito|chiquita',
    grandmother: 'abuela|abuelita',
    grandfather: 'abuelo|abuelito',
    aunt: 'tia',
    uncle: 'tio',
    cousin: 'primo|prima|sobrino|sobrina',
    other: 'amigo|amiga|vecino|vecina|companero|companera|colega|conocido|conocida|jefe|jefa|compadre|comadre',
    family: 'familia|familiar|familiare|pariente|suegra|suegro|cunada|cunado|nieto|nieta',
  },
  emphatic:
    'soy yo el que|soy yo la que|soy yo quien|yo soy el que|yo soy la que|el que soy yo|la que soy yo|yo soy quien',
  who: 'quien|quienes|el que|la que|los que',
  are: 'es|era|fue|son|sí es',
  leadIns:
    'entonces|y|bueno|vale|bien|muy bien|ahora|ok|pues|a ver|de acuerdo|pero|tambien|digame|cuenteme|oiga|mire|este|ya|perfecto|eh|ah|aja|claro|gracias|sí|usted|ademas|por otro lado|otra cosa|una pregunta|dime|la senora|el senor|senora|senor',
  openers:
    'ha tenido|tiene|tienes|siente|sientes|alguna|algun|ha notado|ha sentido|ha visto|ha habido|le duele|te duele|le duelen|le da|hay|tuvo|sintio|noto|nota|toma|fuma|bebe|es alergico|es alergica|has tenido|has notado|padece|le falta|se le|se ha|ha perdido|ha vomitado|presenta|esta tomando|esta embarazada|sabe si|usa',
  fillers: 'uh|um|ah|eh|mm|pues|bueno|doctor|doctora|senor|senora|este|oh|mire|hmm|a ver|entonces',
  yes: 'sí|claro|tengo|siento|correcto|exacto|un poco|un poquito|a veces|por supuesto|algo|bastante|mucho|mucha|muchos|muchas|alguna vez|de vez en cuando|asi es|efectivamente|eso es|las dos|los dos|ambas|ambos|alguno|alguna|si claro|si tengo|he tenido',
  no: 'no|nada|ninguno|ninguna|ningun|nunca|tampoco|negativo|niega|jamas|ni|para nada|que va|en absoluto',
  notSure: 'se|sabria|seguro|segura|recuerdo|me acuerdo',
  stopped: 'deje|lo deje|ya no|la deje|hace tiempo que no|deje de',
  healthy:
    'normal|normales|normalmente|bien|bueno|buena|sano|sana|sanos|sanas|limpio|limpia|conservad*|integr*|indemne*|libre|libres|estable|estables|simetric*',
  allOfThem: 'ninguna|ninguno|ambas|ambos|nada|tampoco|ni',
  nothingElse: 'nada mas|lo demas no|por lo demas no|solo eso|eso es todo|el resto no',
  morning:
    'por la manana|por las mananas|en la manana|en las mananas|desayun*|ayunas|cada manana|al levantar*|manana y|con el cafe|antes del cafe',
  noon: 'al mediodia|a mediodia|comida|almuerzo|al medio dia|comer',
  evening: 'por la tarde|por las tardes|merienda|en la tarde',
  night:
    'por la noche|por las noches|en la noche|cena|cenar|acostar*|antes de dormir|cada noche|y noche|y por la noche|esta noche',
  dosing:
    'sub*|baja|bajan|baje|bajen|bajar|bajaba|bajado|bajo|bajaron|aument*|reduc*|dosis|pasamos|pasar|cambi*|dobl*|seguimos|siga|sigue|anad*|agreg*|miligram*|microgram*|mande|mandar|damos',
  needing:
    'necesit*|precis*|duel*|dol*|fiebre|calentura|tos|nause*|vomit*|pic*|ahog*|falta|mareo*|ansi*|requi*|crisis|molest*|le da|hace falta',
  scales: 'escala|nota|puntu*|eva|del cero|del uno|sobre diez|duel*|dolor*|dol*|animo|molest*|arde*',
  pressures: 'presion|tension|sistolica|diastolica|alta|baja|maxima|minima|sobre',
};
