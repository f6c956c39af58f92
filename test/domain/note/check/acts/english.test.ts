import { describe, expect, it } from '@jest/globals';
import { casesOf, doubtsOf } from './act-cases.ts';

/** What is said, what the note makes of it, and the section. */
const FAITHFUL = `
  D: We'll X-ray the wrist, a sling, and ibuprofen if it hurts. => XR wrist. | PLAN
  P: I get puffed just putting my clothes on. => SOB on dressing. | SUBJECTIVE
  D: Your eyes were looked at in June, weren't they? P: Yes. => Retinal screening done June. | PLAN
  D: Keep away from anyone who is expecting. => Avoid pregnant contacts. | PLAN
  P: I sliced it chopping onions. => Laceration while cutting onions. | SUBJECTIVE
  D: How do you see the next months? P: I'd like to go back to work. => Plans to return to work. | SUBJECTIVE
  R: She has had all her jabs. => Immunisations UTD. | SUBJECTIVE
  D: And the tetanus booster? P: Not that one, thank you. => Tetanus booster declined. | PLAN
  D: The bisoprolol, eighty from now on, if your pulse allows. => Increase bisoprolol if HR allows. | PLAN
  D: The naproxen has to go. => Naproxen stopped. | PLAN
  D: Nobody will do CPR then. P: Good. => Not for CPR. | PLAN
  D: I'll pick the dead skin off and cover it. => Wound debrided. | PLAN
  D: Let's dip your urine and send it off. P: Fine. => Urine dip + MSU. | PLAN
  D: I'm going to take a swab from the wound. => Wound swab sent. | PLAN
  D: We'll get an ECG, and some blood for the potassium. => ECG. U&E. | PLAN
  D: I want a chest X-ray today, okay? P: Mm. => CXR today. | PLAN
  D: Shall we check your iron? P: If you think so. => Ferritin. | PLAN
  D: Can I take some blood from you? P: No problem. => Bloods taken. | PLAN
  D: We don't need a scan, but I'd like an X-ray. => XR knee. No MRI needed. | PLAN
  D: I don't think it's broken but let's X-ray it anyway. => XR ankle. | PLAN
  D: I'll book you in for a scan of the tummy. => USS abdomen. | PLAN
  D: We'll repeat the kidney blood test in a week. => Repeat U&E 1/52. | PLAN
  D: He needs a heart scan before he goes. => Echo prior to d/c. | PLAN
  D: Bring a poo sample back to the surgery. => Stool culture. | PLAN
  D: If the pain isn't better by Monday, we'll do a CT. => CT if no better Mon. | PLAN
  D: I'd like to do a blood gas. => ABG. | PLAN
  D: We'll check the sugar and the kidneys. => Glucose, U&E. | PLAN
  D: Blow into the tube for me, let's do a breathing test next week. => Spirometry 1/52. | PLAN
  D: I want a tracing of your heart. => 12 lead ECG. | PLAN
  D: No bloods today. => No bloods today. | PLAN
  D: I'd like to look inside with a speculum, is that okay? P: Yes, fine. D: The neck of the womb looks healthy. => Speculum: cervix healthy. | EXAMINATION
  D: I've put three stitches in. => Wound closed, 3 sutures. | OBJECTIVE
  D: We'll pop a tube in your bladder. P: Okay. => Urinary catheter. | PLAN
  D: I've numbed it and washed it out. => LA, irrigated. | OBJECTIVE
  P: I had my gallbladder out in ninety-nine. => Cholecystectomy 1999. | SUBJECTIVE
  P: I had my tonsils out as a kid. => Tonsillectomy. | SUBJECTIVE
  D: We'll take the stitches out in ten days. => ROS 10/7. | PLAN
  D: If your heart stopped, would you want us to try to restart it? P: No, let me go in peace. => DNACPR agreed. | PLAN
  D: Would she want a breathing machine? R: No, no machines. => Not for intubation. | PLAN
  D: Would you want to go to intensive care? P: For a short while, yes. => For ITU, time-limited trial. | PLAN
  D: Any thoughts of harming yourself? P: No, never. => No thoughts of self-harm. | SUBJECTIVE
  D: Have you tried to end your life before? P: Once, at sixteen, with pills. => Previous suicide attempt aged 16. | SUBJECTIVE
  D: Any chance you're pregnant? P: No, I've had my period last week. => Not pregnant, LMP last wk. | SUBJECTIVE
  P: It's my second baby. D: And how many weeks now? P: Thirty. => G2P1, 30/40. | SUBJECTIVE
  D: Stop the ibuprofen, and let's put the ramipril up to five. => Stop ibuprofen. ↑ ramipril 5 mg. | PLAN
  P: I'm on amlodipine. D: We'll swap that for losartan. => Amlodipine stopped, losartan started. | PLAN
  P: I don't take the statin any more, the simvastatin, it hurt my legs. => Simvastatin stopped d/t myalgia. | SUBJECTIVE
  D: I'll send you to the heart doctor. => Refer cardiology. | PLAN
  D: You can go home today. => Discharge home. | PLAN
  D: I'd like another troponin at six, and we'll keep you on the monitor. => Repeat trop 18:00; cardiac monitoring. | PLAN
  D: The nurse will take bloods: kidney function, full blood count and a CRP. => FBC, U&E, CRP. | PLAN
  D: Let's get a urine off you and send it to the lab. => MSU sent. | PLAN
  D: We'll do a CT of the kidneys to look for a stone. => CT KUB. | PLAN
  D: I'd want a peak flow before and after. => PEFR pre/post. | PLAN
  D: Daily weights and bloods tomorrow for the salts. => Daily weights, U&E mane. | PLAN
  D: I'll ask for the bile acids and the liver tests to be repeated on Friday. => Rpt bile acids + LFTs Fri. | PLAN
  D: We'll put the monitor on for baby's heartbeat. => CTG. | PLAN
  D: A growth scan at thirty-six weeks. => Growth USS 36/40. | PLAN
  D: X-ray of the hand to rule out glass. => XR hand ?FB. | PLAN
  D: We'll send the sputum off too. => Sputum C&S. | PLAN
  D: No need for bloods, it's viral. => Bloods not indicated. | PLAN
  D: Can you bring in a sample of water first thing? => EMU sample requested. | PLAN
  D: We need to check the paracetamol level at four hours. => Paracetamol levels at 4 h. | PLAN
  D: I'd like a scan of your kidneys. => Renal USS requested. | PLAN
  D: I'll put a form in for a chest film. => CXR form. | PLAN
  D: I'll check clotting, in case. => Coag. | PLAN
  D: Twenty-four hour blood pressure monitor. => ABPM. | PLAN
  D: We'll test your thyroid and your iron again in three months. => TSH, ferritin 3/12. | PLAN
  D: Temperature and sats every four hours please. => 4-hourly obs. | PLAN
  D: I'll put a dressing on and a splint. => Dressing + volar slab. | PLAN
  D: The tendon's fine. I've cleaned it and closed it with five stitches under local. => Irrigated, LA, 5 sutures. | OBJECTIVE
  D: We'll give him a nebuliser and oxygen. => Salbutamol neb, O2. | PLAN
  D: I'd like to put a line in your arm for the fluids. P: OK. => IV access, IVF. | PLAN
  D: They'll do the camera test down your throat tomorrow. => OGD tomorrow. | PLAN
  P: I had a C-section in twenty nineteen. => Prev LSCS 2019. | SUBJECTIVE
  P: They put a stent in two years ago. => PCI 2 yrs ago. | SUBJECTIVE
  P: They took half my thyroid out. => Hemithyroidectomy. | SUBJECTIVE
  P: I had my hip done. => R THR. | SUBJECTIVE
  D: Tetanus booster today, left arm. P: Right. => Tetanus booster given. | PLAN
  R: She had grommets put in last year. => Grommets last yr. | SUBJECTIVE
  P: I've never had an operation. => No prev surgery. | SUBJECTIVE
  R: He always said he didn't want to be kept alive on machines. => Not for ventilation, per son. | PLAN
  R: Mum has the form, the one about not being resuscitated. => DNACPR in situ. | SUBJECTIVE
  P: I'd want you to try everything. => For full resus. | PLAN
  D: So we keep you comfortable here, no hospital. P: That's it. => Comfort care in NH, not for hospital transfer. | PLAN
  D: If you got worse, would you go to intensive care? P: No, not that. => Ward-based ceiling, not for ITU. | PLAN
  D: And if your heart were to stop? P: Then I'd want you to try. => For CPR. | PLAN
  D: And if your heart were to stop? P: Leave me be. => Not for CPR. | PLAN
  P: My period's ten days late. D: Did you do a test? P: Positive. => UPT +ve, 10/7 late. | SUBJECTIVE
  D: We'll keep you in tonight. => Admit overnight. | PLAN
  D: See me in a fortnight. => R/v 2/52. | PLAN
  D: The mental health nurse will ring you. => Refer CMHT. | PLAN
  D: I'll write to the kidney specialists. => Nephrology referral. | PLAN
  D: No more naproxen, then. => Naproxen stopped. | PLAN
  D: I'd go up on the bisoprolol, to five. => Bisoprolol ↑ 5 mg. | PLAN
  D: Let's hold the metformin until the scan. => Metformin withheld. | PLAN
  D: Half the furosemide from tomorrow. => Furosemide reduced. | PLAN
  D: Do you ever feel that life's not worth it? P: No, I've my kids. => No SI. | SUBJECTIVE
  P: I took an overdose when I was twenty. => PHx OD aged 20. Previous suicide attempt. | SUBJECTIVE
  D: I can't be sure without a scan, so they'll do that tonight. => CT tonight. | PLAN
  D: You haven't had your cholesterol checked for years, let's do it. => Lipids. | PLAN
  D: We'll dip the urine. P: Okay. D: No blood in the urine, good. => Urine dip. | PLAN
  D: Don't worry that it's anything bad but an ultrasound would settle it. => USS. | PLAN
`;

const INVENTED = `
  D: If the pain isn't better by Monday, we'll do a CT. => CT requested. | PLAN
  D: Any headaches? P: No. => CT head requested. | PLAN
  P: Could I have a scan? D: Not at the moment, no. => MRI requested. | PLAN
  P: My sister had an MRI. D: I see. => MRI arranged. | PLAN
  D: We'll check thyroid. => Serum lithium level and ECG requested. | PLAN
  D: I'll do bloods today. => No bloods needed. | PLAN
  D: I'd like to look inside with a speculum, is that okay? P: I'd rather not today. D: That's fine. => Speculum exam normal. | EXAMINATION
  P: My dad has a pacemaker. => Pacemaker in situ. | SUBJECTIVE
  D: If your heart stopped, would you want us to try to restart it? P: Yes, do everything you can. => DNACPR. | PLAN
  D: How are you sleeping? P: Fine. => DNACPR form completed. | PLAN
  D: How's your sleep? P: Bad. => No suicidal ideation. | SUBJECTIVE
  D: Any thoughts of harming yourself? P: Sometimes, yes. => Denies suicidal ideation. | SUBJECTIVE
  P: My brother killed himself. D: And you, have you ever tried? P: No. => Previous suicide attempt. | SUBJECTIVE
  D: Any chance you're pregnant? P: No. => Pregnant. | SUBJECTIVE
  D: Any allergies? P: No. => Not pregnant. | SUBJECTIVE
  D: Carry on with the ramipril as you are. => Ramipril stopped. | PLAN
  D: Let's put the ramipril up to five. => Reduce ramipril. | PLAN
  D: I'll send you to the heart doctor. => Refer neurology. | PLAN
  D: You can go home today. => Admit for observation. | PLAN
`;

describe('acts in English', () => {
  it.each(casesOf('en', FAITHFUL))('“$talk” supports “$statement”', (one) => {
    expect(doubtsOf(one)).toEqual([]);
  });

  it.each(casesOf('en', INVENTED))('“$talk” does not support “$statement”', (one) => {
    expect(doubtsOf(one)).not.toEqual([]);
  });
});
