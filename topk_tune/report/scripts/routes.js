// Addresses within the page.

/** The address of a study. */
export function studyAddress(study) {
  return `#/study/${encodeURIComponent(study.name)}`;
}

export function trialAddress(study, trial) {
  return `${studyAddress(study)}/trial/${trial.number}`;
}

export function pinsAddress(study) {
  return `${studyAddress(study)}/pins`;
}

/** What the present address asks for. */
export function route() {
  const [, kind, name, part, number] = location.hash.split("/");
  if (kind !== "study" || name === undefined) return {};
  return {name: decoded(name), part, number: Number(number)};
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
