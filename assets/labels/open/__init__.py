"""Labels of narrations that follow no vocabulary: verbs and objects read off a dependency parse."""
