// Pinned trials of a study. They are kept by the browser, so they survive a reload.

export class Pins {
  constructor(id) {
    this._key = `topk-tune pins ${id}`;
    this.numbers = read(this._key);
  }

  has(number) {
    return this.numbers.includes(number);
  }

  toggle(number) {
    this.numbers = this.has(number)
      ? this.numbers.filter((each) => each !== number)
      : [...this.numbers, number];
    try {
      localStorage.setItem(this._key, JSON.stringify(this.numbers));
    } catch {
      // Some browsers keep nothing for pages from files; then pins last as long as the page.
    }
  }
}

function read(key) {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter(Number.isInteger) : [];
  } catch {
    return [];
  }
}
