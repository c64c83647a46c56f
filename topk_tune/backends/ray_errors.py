"""What Ray's errors about lost workers mean, in a sentence."""

from ray.exceptions import ActorDiedError, OutOfMemoryError, RayError

from topk_tune.backends.work import LESS_MEMORY


def is_want_of_memory(error: RayError) -> bool:
    """Whether Ray itself has ended the worker, as its node was running out of memory."""
    return isinstance(error, OutOfMemoryError)


def is_own_fault(error: RayError) -> bool:
    """Whether the worker raised an error as it started, as others will, and was not ended."""
    return isinstance(error, ActorDiedError) and error.actor_init_failed


def in_words(error: RayError) -> str:
    """Why a worker was lost: the point of Ray's page of explanations."""
    if is_want_of_memory(error):
        return f"out of memory: Ray ended the worker as its node had too little left; {LESS_MEMORY}"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if is_own_fault(error):
        return f"the worker could not start: {lines[-1]}"  # the last of a stack of calls
    cause = next((line for line in lines if "exit" in line.lower()), "")
    return " ".join(dict.fromkeys([f"the worker was lost ({type(error).__name__})", cause])).strip()
