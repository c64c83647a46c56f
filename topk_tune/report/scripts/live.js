// Asks the server for what is new, again and again while the page is looked at.

const PAUSE = 1500;
const LONGEST = 30000;

/** Call `take(name, news)` for each study with news, and `heard(whether)` after each attempt. */
export function follow(moments, take, heard) {
  let pause = PAUSE;

  const ask = async () => {
    if (!document.hidden) pause = (await attempt()) ? PAUSE : Math.min(LONGEST, pause * 2);
    setTimeout(ask, pause);
  };

  const attempt = async () => {
    try {
      const answer = await fetch(`news?since=${encodeURIComponent(JSON.stringify(moments()))}`);
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const {studies} = await answer.json();
      take(studies);
      heard(true);
      return true;
    } catch (error) {
      heard(false);
      return false;
    }
  };

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) attempt();
  });
  ask();
}
