// The cues of English. See cues.ts for what each list does.
import type { CueWords } from './cue-words.ts';

export const EN: CueWords = {
  denies:
    'denies|denied|deny|denying|without|negative for|negative :|negative to|no evidence of|no signs of|no sign of|free of',
  before:
    'no|not|never|none|nor|neither|nothing|dont|doesnt|didnt|havent|hasnt|hadnt|isnt|arent|wasnt|werent|wont|aint|nil|non|cant say',
  after: 'no|not|none|never',
  always:
    'none|negative|denied|absent|nil|neg|not present|not seen|not noted|not reported|was negative|is negative|came back negative|were negative|are negative',
  behindAfter: 'at all|really|now|today|and|or|but|so far',
  affirms: 'yes|yeah|yep|positive|present|pos',
  pseudo:
    'not only|not just|no change|no changes|no increase|no improvement|no better|no worse|no relief|no difference|no wonder|no doubt|not without|not sure|not certain|no idea|not to mention|none the less|nothing but|no more than|no less than|no longer than|not necessarily|not yet|not because',
  goesOn:
    'go away|goes away|going away|gone away|gone|went away|go down|going down|gone down|come down|coming down|came down|clear*|stop*|improv*|better|settl*|eas*|resolv*|subsid*|let up|letting up|disappear*|shift*|budg*|leave|leaves|left|let me|lets me|quit|quits|respond*|relent*|break|broke|controlled|under control',
  between:
    'really|just|even|quite|been|being|be|getting|get|got|at all|seem|seems|to|ever|exactly|fully|completely|want|wants|it|he|she|they',
  unsure: 'know|sure|remember|certain|doubt|think so',
  scopeEnd:
    'but|except|besides|other than|apart from|aside from|however|although|though|yet|yes|just|only|reports|reported|reporting|endorses|endorsed|complains|complained|complaining|admits|admitted|describes|described|states|stated|notes|noted|presents|positive|change|changes|improvement|better|relief|difference|because|since|started|instead|unless|while|when i|if i',
  having: 'have|has|had|having|got|feel|feels|feeling|felt|get|gets|getting',
  copulas: 'its|it is|this is|that is|thats|it was|is|hes|shes',
  taken:
    'take|takes|taking|took|taken|tried|try|trying|use|uses|using|used|give|gave|given|giving|get|got|need|needs|needed|nothing|anything|something|medication*|medicine*|drug*|tablet*|pill*|remed*|treatment*|treated|prescri*|doctor|hospital|appointment',
  purposes: 'for|against',
  only: 'only|just|except|unless|besides|other than|apart from|aside from',
  occasions: 'on|when|whenever|with|if|during|after|at|in|while|going|walking|climbing|upon',
  links: ',|/|or|nor|and|&',
  large: 'much|very|too|that|so|as',
  supposed:
    'if|unless|case|should|may|might|could|cause|causes|causing|risk|effect|effects|watch|monitor|call|return|worry|would|in case|look out|until|whether',
  past: 'years ago|year ago|last year|as a child|as a kid|when i was|when he was|when she was|used to|in the past|history of|back in|in childhood|previous|previously|months ago',
  self: 'i|me|myself|ive|im|patient',
  owners: 'my|his|her|their|your|the|a|our',
  belonging: 'in|of|runs in',
  kin: {
    mother: 'mother|mom|mum|mam|mama|mommy|mummy|stepmother',
    father: 'father|dad|papa|daddy|stepfather|pop',
    brother: 'brother',
    sister: 'sister',
    sibling: 'sibling|twin',
    spouse: 'wife|husband|partner|spouse|girlfriend|boyfriend|fiance|fiancee',
    son: 'son|boy',
    daughter: 'daughter|girl',
    child: 'child|children|kid|baby|toddler',
    grandmother: 'grandmother|grandma|gran|granny|nana|nan',
    grandfather: 'grandfather|grandpa|granddad|grandad',
    aunt: 'aunt|auntie',
    uncle: 'uncle',
    cousin: 'cousin|nephew|niece',
    other:
      'friend|neighbour|neighbor|mate|flatmate|housemate|roommate|colleague|coworker|chap|bloke|lady|fella|carer|boss',
    family: 'family|relative|parent|grandparent|grandson|granddaughter|grandchild|grandchildren',
  },
  emphatic: 'its me that|its me who|it is me that|it is me who|im the one|thats me not',
  who: 'who|the one who|the one that',
  are: 'is|was|are',
  leadIns:
    'so|okay|ok|and|now|then|well|right|alright|all right|but|also|good|great|fine|sure|yes|yeah|um|uh|er|oh|hmm|mm|sorry|let me ask|tell me|just|first|next|thank you|thanks|i see|got it|in that case|have you noticed|a question',
  openers:
    'any|do you|did you|have you|has she|has he|are you|is there|were you|how about|what about|does it|does he|does she|did he|did she|is it|was it|was he|was she|is he|is she|can you|could you|have there|has there|had you|were there|was there|you have any|you had any|ever had|ever have|anything',
  fillers: 'uh|um|well|oh|ah|eh|hmm|mm|so|doctor|sir|maam|nurse|like|er|erm',
  yes: 'yes|yeah|yep|yup|sure|correct|sometimes|some|occasionally|definitely|absolutely|i do|i have|i did|i am|a little|a bit|uh huh|mm hmm|of course|every|both|thats right|right|it does|it is|he does|she does|he has|she has|he did|she did|now and then|once|twice|quite|lots|a lot',
  no: 'no|nope|nah|none|never|not|nothing|negative|neither|nil|denies|i dont|i havent|i didnt|i am not|im not|it doesnt|he doesnt|she doesnt|he hasnt|she hasnt|he didnt|she didnt|nor',
  notSure: 'sure|know|certain|idea|really sure|think so|remember',
  stopped: 'quit|stopped|gave up|given up|i quit|i stopped|i gave up|not anymore|not any more|no longer',
  healthy:
    'normal|normally|fine|clear|ok|okay|good|healthy|intact|unaffected|unremarkable|spared|nad|wnl|all right|alright|full range|full strength|full rom|stable|symmetric*',
  allOfThem: 'neither|none|both|nothing|all|either',
  nothingElse: 'nothing else|no other|none of the others|thats all|thats it|just that|only that|the rest no',
  morning: 'in the morning|every morning|each morning|mornings|breakfast|empty stomach|first thing',
  noon: 'at noon|lunch|lunchtime|midday|at midday',
  evening: 'in the evening|evenings|dinner|supper|teatime|every evening',
  night: 'at night|bedtime|before bed|nightly|every night|each night|nights|tonight',
  dosing:
    'go up|going up|went up|increase|increasing|increased|raise|double|doubled|down to|up to|reduce|reduced|reducing|lower|dose|drop it|cut it|change it|try|keep taking|instead|put you on|start you on|milligram*|microgram*',
  needing:
    'need*|hurt*|pain|sore|fever*|headache|nause*|vomit*|wheez*|itch*|breathless|dizz*|cough*|anxious|require*|necessary|bad|attack|it comes',
  scales: 'scale|rate|score|scored|out of ten|zero to ten|one to ten|pain|hurt*|mood|ache*|sore',
  pressures: 'pressure|systolic|diastolic|top|bottom|upper|lower|over',
};
